#!/usr/bin/env python3
"""Observations of an LM-X license server, by lmxendutil -licstatxml.

    lmx.py 6200@lic1.example.com --vendor ALTAIR --tool /opt/lmx/lmxendutil
    lmx.py 6200@lic1.example.com --vendor ALTAIR --input status.xml

Times have no zone: set TZ to that of the license server. Tested on samples written from public knowledge of the output,
not on a real server. Python 3.6 or later, no packages.
"""
import argparse
import datetime
import json
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

UNLIMITED = ("2147483647", "UNLIMITED")


def features_in(text):
    """The features of the first server that answers, or None. A banner can precede the XML."""
    start = text.find("<")
    if start < 0 or "<!DOCTYPE" in text:
        return None
    try:
        root = ElementTree.fromstring(text[start:].strip())
    except ElementTree.ParseError:
        return None
    for path in root.iter("LICENSE_PATH"):
        if path.get("STATUS", "SUCCESS") == "SUCCESS":
            return list(path.iter("FEATURE"))
    return None


def integer(text):
    return int(text) if text is not None and re.fullmatch(r"\d{1,15}", text) else None


def moment(text):
    """Epoch seconds of a local time, None of another form."""
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d))?", text or "")
    if not match:
        return None
    try:
        return int(datetime.datetime(*[int(part or 0) for part in match.groups()]).timestamp())
    except ValueError:
        return None


def known(**values):
    return {key: value for key, value in values.items() if value is not None}


def checkout_of(user):
    return known(
        user=user.get("NAME"),
        host=user.get("HOST"),
        licenses=integer(user.get("USED_LICENSES")),
        since=moment(user.get("CHECKOUT_TIME") or user.get("LOGIN_TIME")),
        borrowed="BORROW_EXPIRE_TIME" in user.attrib,
    )


def feature_of(element):
    total, end = element.get("TOTAL_LICENSES"), element.get("END", "")
    return known(
        feature=element.get("NAME"),
        version=element.get("VERSION"),
        count="uncounted" if total in UNLIMITED else integer(total),
        expires=end if re.fullmatch(r"\d{4}-\d\d-\d\d", end) else None,
        in_use=integer(element.get("USED_LICENSES")),
        denials_total=integer(element.get("DENIED_LICENSES")),
        checkouts=[checkout_of(user) for user in element.iter("USER") if user.get("NAME")],
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server", help="port@host, the name of the vendor licenses")
    parser.add_argument("--vendor", action="append", required=True, help="each VENDOR of the server")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--tool", help="path of lmxendutil")
    source.add_argument("--input", help="a file with the output of the tool, instead of running it")
    options = parser.parse_args()
    port, _, host = options.server.partition("@")
    if not host:
        parser.error("write the server as port@host")
    if options.input:
        with open(options.input, encoding="utf-8", errors="replace") as file:
            text = file.read()
    else:
        command = [options.tool, "-licstatxml", "-host", host, "-port", port]
        try:
            result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except OSError as error:
            sys.exit("lmx.py: %s" % error)
        text = result.stdout.decode("utf-8", "replace")
    features = features_in(text)
    other = sorted({one.get("VENDOR", "") for one in features or []} - set(options.vendor))
    if other:
        # without them in every document, their last data would be lost while the server is down
        sys.exit("lmx.py: the server has another vendor, add --vendor %s" % other[0])
    licenses = []
    for vendor in options.vendor:
        own = [feature_of(one) for one in features or [] if one.get("VENDOR") == vendor]
        license = {"server": options.server, "daemon": vendor}
        licenses.append(dict(license, reports=["borrowed"], features=own) if own else dict(license, reachable=False))
    json.dump({"version": 1, "time": int(time.time()), "vendor_licenses": licenses}, sys.stdout)


main()
