@echo off
rem Starts license-exporter with the Node that is beside this script.
"%~dp0node\bin\node.exe" "%~dp0dist\launch.js" %*
