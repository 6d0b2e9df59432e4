#!/usr/bin/env python3
"""Observations of a Dassault Systemes license server (DSLS), by DSLicSrv.

    dsls.py 4084@lic1.example.com --tool /opt/DSLS/linux_a64/code/bin/DSLicSrv
    dsls.py 4084@lic1.example.com --input usage.csv

Tested on samples written from the documentation, not on a real server. Python 3.6 or later, no packages.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import time

HEADER = "Editor,EditorId,Feature,"
MODELS = {"token": "token", "nameduser": "named"}


def run(tool, host, port):
    """What the tool prints. Its commands come on standard input; -r leaves administrators their connection."""
    script = "connect %s %s -r\ngetLicenseUsage -csv\nquit\n" % (host, port)
    # dates and times are printed in the zone of the process
    environment = dict(os.environ, TZ="UTC", LANG="en_US.UTF-8", LC_ALL="en_US.UTF-8")
    try:
        result = subprocess.run(
            [tool, "-admin"], input=script.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
    except OSError as error:
        sys.exit("dsls.py: %s" % error)
    return result.stdout.decode("utf-8", "replace")


def rows_of(text):
    """The rows of the table by the names of its columns, or None without a table. The header can follow a prompt."""
    lines = iter(text.splitlines())
    for line in lines:
        at = line.find(HEADER)
        if at >= 0:
            names = [name.strip() for name in line[at:].split(",")]
            break
    else:
        return None
    missing = {"Feature", "Count", "Inuse"} - set(names)
    if missing:
        sys.exit("dsls.py: the table of DSLicSrv has no column %s" % ", ".join(sorted(missing)))
    shortest = max(names.index("Count"), names.index("Inuse"))
    rows = []
    for cells in csv.reader(lines):
        # others are prompts and messages of the tool
        if len(cells) > shortest:
            rows.append({name: cell.strip() for name, cell in zip(names, cells) if name})
    return rows


def integer(text):
    """The number, None of a text that is none."""
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def moment(text):
    """A time in UTC as RFC 3339, None if it has another form."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?(\.\d+)?", text)
    return match and "%sT%s%sZ" % (match.group(1), match.group(2), match.group(3) or ":00")


def person(row):
    """User and host of a row. A host is printed as `name (id)/address`."""
    found = {"user": row["User"], "host": row.get("Host", "").split(" ")[0]}
    since = moment(row.get("Granted Since", ""))
    if since:
        found["since"] = since
    tokens = integer(row.get("Tokens", ""))
    found["licenses"] = 1 if tokens is None else tokens
    return found


def feature_of(rows):
    """One feature of one model and release. The table repeats the pool in the row of each of its users."""
    first = rows[0]
    pools = {}
    for row in rows:
        pools[tuple(row.get(name, "") for name in ("EditorId", "Expiration Date", "Customer ID"))] = row
    users = [row for row in rows if row.get("User")]
    checkouts = [
        dict(person(row), handle=row.get("Session ID", "")) for row in users if not row.get("Queue Position")
    ]
    in_use = [integer(row["Inuse"]) for row in pools.values()]
    feature = {
        "feature": first["Feature"],
        "version": first.get("Max Release Number", ""),
        "license_model": MODELS.get(first.get("Model", "").lower(), "concurrent"),
        "increments": [increment_of(row) for row in pools.values()],
        "checkouts": checkouts,
        "queued": [person(row) for row in users if row.get("Queue Position")],
    }
    if None not in in_use:
        feature["in_use"] = sum(in_use)
        feature["checkouts_complete"] = feature["in_use"] == sum(one["licenses"] for one in checkouts)
    return feature


def increment_of(row):
    found = {"count": integer(row["Count"]), "expires": moment(row.get("Expiration Date", ""))}
    return {key: value for key, value in found.items() if value is not None}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", help="port@host, the name of the vendor license")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tool", help="path of DSLicSrv")
    source.add_argument("--input", help="a file with the output of the tool, instead of running it")
    options = parser.parse_args()
    port, _, host = options.server.partition("@")
    if not host:
        parser.error("write the server as port@host")
    if options.input:
        with open(options.input, encoding="utf-8", errors="replace") as file:
            text = file.read()
    else:
        text = run(options.tool, host, port)
    rows = rows_of(text)
    license = {"server": options.server, "daemon": "dsls"}
    document = {"version": 1, "time": int(time.time()), "vendor_licenses": [license]}
    if rows is None:
        license["reachable"] = False
        message = "DSLicSrv printed no license usage: connect to %s with DSLicSrv -admin by hand" % options.server
        document["problems"] = [{"kind": "unreachable", "message": message}]
    else:
        groups = {}
        for row in rows:
            key = tuple(row.get(name, "") for name in ("Feature", "Model", "Max Release Number"))
            groups.setdefault(key, []).append(row)
        license["features"] = [feature_of(group) for group in groups.values()]
    json.dump(document, sys.stdout)


main()
