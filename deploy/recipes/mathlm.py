#!/usr/bin/env python3
"""Observations of a MathLM server, by monitorlm with the template beside this file.

    mathlm.py lic1.example.com --tool /opt/MathLM/monitorlm
    mathlm.py lic1.example.com --input output.txt

Tested on samples written from the documentation, not on a real server. Python 3.6 or later, no packages.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mathlm.template")


def read_lines(text, now):
    """Totals (in use, licenses) and checkouts by program."""
    totals, checkouts = {}, {}
    for line in text.splitlines():
        kind, _, rest = line.strip().partition("|")
        cells = rest.split("|")
        if kind == "total" and len(cells) == 3:
            totals[cells[0]] = [int(cell) if re.fullmatch(r"\d{1,9}", cell) else None for cell in cells[1:]]
        elif kind == "process" and len(cells) >= 4:
            # a user may have any character
            checkouts.setdefault(cells[0], []).append(checkout("|".join(cells[1:-2]), cells[-2], cells[-1], now))
    return totals, checkouts


def checkout(user, host, duration, now):
    found = {"user": user, "host": host}
    match = re.fullmatch(r"(\d{1,5}):(\d\d)", duration.strip())
    if match:
        found["since"] = now - (int(match.group(1)) * 60 + int(match.group(2))) * 60
    return found


def feature_of(program, in_use, count, checkouts):
    feature = {"feature": program, "checkouts": checkouts}
    if count is not None:
        feature["count"] = count
    if in_use is not None:
        feature["in_use"] = in_use
        feature["checkouts_complete"] = in_use == len(checkouts)
    return feature


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", help="host, the name of the vendor license")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tool", help="path of monitorlm")
    source.add_argument("--input", help="a file with the output of the tool, instead of running it")
    options = parser.parse_args()
    if options.input:
        with open(options.input, encoding="utf-8", errors="replace") as file:
            text = file.read()
    else:
        command = [options.tool, options.server, "-format", "text", "-template", TEMPLATE]
        try:
            result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            sys.exit("mathlm.py: %s" % error)
        text = result.stdout.decode("utf-8", "replace")
    now = int(time.time())
    totals, checkouts = read_lines(text, now)
    license = {"server": options.server, "daemon": "mathlm"}
    document = {"version": 1, "time": now, "vendor_licenses": [license]}
    if totals:
        license["features"] = [
            feature_of(program, in_use, count, checkouts.get(program, []))
            for program, (in_use, count) in totals.items()
        ]
    else:
        license["reachable"] = False
        message = "monitorlm printed no license usage: run monitorlm %s -health by hand" % options.server
        document["problems"] = [{"kind": "unreachable", "message": message}]
    json.dump(document, sys.stdout)


main()
