"""An NTLM acceptor of gss-ntlmssp that checks channel bindings: base64 messages in, base64 or a verdict out, by line.

usage: gss-acceptor.py HEX_OF_APPLICATION_DATA   (accounts in the file that NTLM_USER_FILE names)
"""
import base64
import sys

import gssapi

NTLMSSP = gssapi.OID.from_int_seq("1.3.6.1.4.1.311.2.2.10")

bindings = gssapi.raw.ChannelBindings(application_data=bytes.fromhex(sys.argv[1]))
credentials = gssapi.Credentials(usage="accept", mechs=[NTLMSSP])
context = gssapi.SecurityContext(creds=credentials, usage="accept", channel_bindings=bindings)
for line in sys.stdin:
    try:
        answer = context.step(base64.b64decode(line))
    except gssapi.exceptions.GSSError as error:
        print("refused", " ".join(str(error).split()), flush=True)
        break
    # gss-ntlmssp ends names with a zero byte
    identity = str(context.initiator_name).rstrip("\0") if context.complete else None
    print(f"ok {identity}" if identity else base64.b64encode(answer).decode(), flush=True)
