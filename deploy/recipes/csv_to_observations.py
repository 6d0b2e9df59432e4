#!/usr/bin/env python3
"""Observations from a table with a header line, one row a feature or one row a checkout.

    csv_to_observations.py --server lic1 --daemon acme --map feature=Product --map count=Total --map in_use=Used < table.csv

Each --map names a key of a feature (feature, version, package, count, expires, in_use, available, denials, denials_total)
or of a checkout (user, host, display, since, licenses, handle), and the column that has it. An empty cell is not known.
With a column for users, each row is a checkout, and rows without a user show a feature that nobody uses. Python 3.6 or
later, no packages.
"""
import argparse
import csv
import io
import json
import re
import sys
import time

NAMES = ("feature", "version", "package")
FIGURES = ("count", "expires", "in_use", "available", "denials", "denials_total")
CHECKOUT = ("user", "host", "display", "since", "licenses", "handle")
NUMBERS = ("in_use", "available", "denials", "denials_total", "licenses")


def value_of(key, cell, line):
    """The value of a cell, None of an empty one. Other texts are checked by license-exporter."""
    if cell == "":
        return None
    if key in ("count", "expires", "since") and re.fullmatch(r"\d{1,12}", cell):
        return int(cell)
    if key in NUMBERS:
        if not re.fullmatch(r"\d{1,15}", cell):
            # the cell is not repeated: it can be a user
            sys.exit("csv_to_observations.py: %s in line %d is not a number" % (key, line))
        return int(cell)
    return cell


def mapping_of(pairs):
    mapping = dict(pair.partition("=")[::2] for pair in pairs)
    unknown = sorted(set(mapping) - set(NAMES + FIGURES + CHECKOUT))
    if unknown:
        sys.exit("csv_to_observations.py: --map does not know %s" % unknown[0])
    if "feature" not in mapping:
        sys.exit("csv_to_observations.py: --map feature=COLUMN is required")
    return mapping


def features_in(file, mapping, delimiter):
    reader = csv.DictReader(file, delimiter=delimiter, skipinitialspace=True)
    missing = sorted(set(mapping.values()) - {name.strip() for name in reader.fieldnames or []})
    if missing:
        sys.exit("csv_to_observations.py: the header has no column %s" % missing[0])
    features = {}
    for row in reader:
        cells = {name.strip(): (cell or "").strip() for name, cell in row.items() if isinstance(name, str)}
        values = {key: value_of(key, cells[column], reader.line_num) for key, column in mapping.items()}
        values = {key: value for key, value in values.items() if value is not None}
        own = {key: value for key, value in values.items() if key not in CHECKOUT}
        if "user" in mapping:
            own["checkouts"] = []
        key = tuple(own.get(name, "") for name in NAMES)
        feature = features.setdefault(key, own)
        if key[0] == "" or any(feature.get(name) != own.get(name) for name in FIGURES):
            sys.exit("csv_to_observations.py: line %d has no feature, or other figures than the row before of the same" % reader.line_num)
        if feature is not own and "user" not in mapping:
            sys.exit("csv_to_observations.py: line %d repeats a feature: map the column of users, or of versions" % reader.line_num)
        if "user" in values:
            feature["checkouts"].append({name: value for name, value in values.items() if name in CHECKOUT})
    return list(features.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--daemon", required=True)
    parser.add_argument("--map", action="append", required=True, metavar="KEY=COLUMN")
    parser.add_argument("--input", help="the table, instead of standard input")
    parser.add_argument("--delimiter", default=",")
    parser.add_argument("--encoding", default="utf-8-sig")
    options = parser.parse_args()
    file = open(options.input, "rb") if options.input else sys.stdin.buffer
    with io.TextIOWrapper(file, encoding=options.encoding, newline="") as table:
        features = features_in(table, mapping_of(options.map), options.delimiter)
    license = {"server": options.server, "daemon": options.daemon, "features": features}
    json.dump({"version": 1, "time": int(time.time()), "vendor_licenses": [license]}, sys.stdout)


main()
