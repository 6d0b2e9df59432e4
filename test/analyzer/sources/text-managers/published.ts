/** Samples of our own, in the shapes that public texts show. */

export const textManagers = ['dsls', 'lmx', 'lsdyna', 'rms', 'slurm'] as const;
export type TextManager = (typeof textManagers)[number];

const dslsHead = `License Administration Tool Version 6.425.4 Built on May 2, 2023, 6:45:36 PM.
admin >	Software version: 6.425.4
	Build date: May 2, 2023, 6:45:36 PM
	Standalone mode
	Ready: yes
	Server name: lic1   Server id: ABC-123
`;
const dslsColumns =
  'Editor,EditorId,Feature,Model,Commercial Type,Max Release Number,Max Release Date,Pricing Structure,Max Casual Duration,Expiration Date,Customer ID,Count,Inuse,Tokens,Casual Usage (mn),Host,User,Internal ID,Active Process,Client Code Version,Session ID,Granted Since,Last Used At,Granted At,Queue Position,';

/** A row of the table up to its users. */
const dslsRow = (feature: string, model: string, expires: string, count: string, inUse: number): string =>
  `Example Software,5E756A80,${feature},${model},STD,8,${expires},YLC,0,${expires},1001,${count},${inUse},`;

/** Several texts of each manager, by what is special about them. */
export const published: Readonly<Record<TextManager, Readonly<Record<string, string>>>> = {
  dsls: {
    table: `${dslsHead}Warning: restricted connection, some operations are not permitted; due to an existing connection in full access from host(10.0.0.9)
admin >${dslsColumns}
${dslsRow('SIM', 'Token', '2027-01-01 00:59:00', '1000', 700)}493,,node1 (263.0)/10.0.0.1,ada,SIM,/bin/sim ( 3148),6.424,02DBE16,2027-01-10 17:59:34,2027-01-15 07:59:00,2027-01-10 17:59:34,
${dslsRow('SIM', 'Token', '2027-01-01 00:59:00', '1000', 700)}207,,node2 (226.0)/10.0.0.2,"Roe, Jane",SIM,/bin/sim ( 2885),6.424,02DBE17,2027-01-14 18:48:17,2027-01-15 06:00:00,2027-01-14 18:48:17,
${dslsRow('SIM', 'Token', '2028-01-01 00:59:00', '500', 0)}
${dslsRow('CAD', 'ConcurrentUser', '2027-12-31 23:59:00', 'unlimited', 1)}1,,pc1 (A)/10.0.0.3,joan,,,,,2027-01-15 07:00:00,2027-01-15 07:58:00,,
${dslsRow('CAD', 'ConcurrentUser', '2027-12-31 23:59:00', 'unlimited', 1)}1,,pc2 (B)/10.0.0.4,grace,,,,,2027-01-15 07:50:00,,,2,
admin >`,
    blocks: `${dslsHead}admin >	Example Software    (5E756A80-1C80-478D-B83A-1D5913677621)
		CAD          maxReleaseNumber: 23  maxReleaseDate: 1/14/27, 7:59:00 PM expirationDate: 1/14/28, 7:59:00 PM type: NamedUser       count:   3   inuse:   2 customerId: 1001 pricing structure: YLC
			internal Id: ada@EXAMPLE   granted since:  1/10/27 9:15:43 AM  last used at: 1/15/27 7:55:00 AM  by user: ada  on host: pc1 (41D61451-0a1.1)/10.0.0.1
				pc1 (41D61451-0a1.1)/10.0.0.1  ada          C:\\Program Files\\Example\\bin\\cad.exe     6.422  2000018 granted since: 1/10/27 9:15:43 AM
				pc5 (41D61452-0a1.1)/10.0.0.5  ada          C:\\Program Files\\Example\\bin\\cad.exe     6.422  2000019 granted since: 1/10/27 9:16:43 AM
			internal Id: bob   granted since:  13.01.2027, 11:26:01  last used at: 13.01.2027, 11:35:05  by user: bob  on host: pc2 (FFFF-0a3409f5.0)/
		SIM          maxReleaseNumber: 8  expirationDate: 2028/9/26 下午7:59:00 type: Token  count:     30  inuse: 12 customerId: 1001 pricing structure: YLC
				node7 (43A1189D-0a17.1)/10.0.0.7  joan       /opt/sim/bin/sim  granted since: 1/14/27 1:55:06 PM tokens: 12
		OLD          maxReleaseNumber: 0 type: ConcurrentUser  count: 5 inuse: 0 customerId: 1001
admin >`,
    down: 'License Administration Tool Version 6.425.4 Built on May 2, 2023, 6:45:36 PM.\nCannot connect to server lic1 on port 4084\n',
    notReady: `${dslsHead.replace('Ready: yes', 'Ready: no')}admin >`,
  },
  lmx: {
    xml: `LM-X End-user Utility v5.5
Copyright (C) 2002-2022 X-Formation. All rights reserved.

<LM-X>
  <LICENSE_PATH TYPE="NETWORK" HOST="6200@lic2" STATUS="SERVER_DOWN"/>
  <LICENSE_PATH TYPE="NETWORK" HOST="6200@lic1" SERVER_VERSION="5.5" UPTIME="8 hour(s) 38 min(s) 33 sec(s)" STATUS="SUCCESS">
    <FEATURE NAME="Solver" VERSION="21.0" VENDOR="EXAMPLE" START="2026-02-17" END="2027-01-31" USED_LICENSES="3" TOTAL_LICENSES="10" DENIED_LICENSES="7" SHARE="NONE">
      <USER NAME="R&D &lt;x&gt;" HOST="pc1" IP="10.0.0.1" USED_LICENSES="2" LOGIN_TIME="2027-01-15 06:26" CHECKOUT_TIME="2027-01-15 06:29"/>
      <USER HOST="pc2" NAME="ada" IP="10.0.0.2" USED_LICENSES="1" LOGIN_TIME="2027-01-14 09:26" BORROW_EXPIRE_TIME="2027-01-20 09:26" SHARE_CUSTOM="ada:pc2"/>
    </FEATURE>
    <FEATURE NAME="Solver" VERSION="21.0" VENDOR="EXAMPLE" START="2026-02-17" END="2028-01-31" USED_LICENSES="0" TOTAL_LICENSES="5" DENIED_LICENSES="1" SHARE="NONE"/>
    <FEATURE NAME="Viewer" VERSION="1.0" VENDOR="OTHER" START="NONE" END="NONE" USED_LICENSES="4" TOTAL_LICENSES="2147483647" SHARE="NONE"/>
  </LICENSE_PATH>
</LM-X>
`,
    text: `LM-X End-user Utility v3.32
Copyright (C) 2002-2010 X-Formation. All rights reserved.

++++++++++++++++++++++++++++++++++++++++
LM-X License Server on 6200@lic1:

Server version: v5.1 Uptime: 3 day(s) 12 hour(s) 0 min(s) 51 sec(s)
----------------------------------------
Feature: Solver Version: 21.0 Vendor: EXAMPLE
Start date: 2026-02-17 Expire date: 2027-01-31
Key type: EXCLUSIVE License sharing: CUSTOM VIRTUAL

40000 of 1000003 license(s) used:

15000 license(s) used by ada@pc1.example.com_ver2023 [10.0.0.1]
    Login time: 2027-01-15 06:26   Checkout time: 2027-01-15 06:29
    Shared on custom string: ada:pc1

25000 license(s) used by Jane Roe@pc2 [10.0.0.2]
Login time: 2027-01-15 05:26   Borrow expire time: 2027-02-15 05:26
----------------------------------------
Feature: Viewer Version: 1.0 Vendor: EXAMPLE
Start date: NONE Expire date: NONE
Key type: TOKEN License sharing: NONE

0 of 2147483647 license(s) used
`,
    down: 'LM-X End-user Utility v3.32\n\n++++++++++++++++++++++++++++++++++++++++\nLM-X license server(s):\n----------------------------------------\nThere are no license server(s) available.\n',
  },
  lsdyna: {
    programs: `Using user specified server 31010@lic1

LICENSE INFORMATION

PROGRAM          EXPIRATION CPUS  USED   FREE    MAX | QUEUE
---------------- ----------      ----- ------ ------ | -----
MPPDYNA          12/30/2027          -     60    500 |    16
 ada        59005@node13.example.com  80
 bob        10274@node52.example.com 360
LS-DYNA          12/30/2027          0     60    500 |     0
                   LICENSE GROUP   440     60    500 |     0
LS-OPT           01/31/2028          2      3      5 |     0
                   LICENSE GROUP     2      3      5 |     0

Using user specified server 31010@lic1


                     Running Programs

    User             Host          Program              Started       # procs
-----------------------------------------------------------------------------
     ada    59005@node13.example. MPPDYNA          Thu Jan 14 16:18    80
     bob    10274@node52.example. MPPDYNA          Fri Jan 15 06:22   360
No programs queued
`,
    running: `
Using default server 31010@lic1

                     Running Programs

    User             Host          Program              Started       # procs
-----------------------------------------------------------------------------
     ada    84212@node1.example.co MPPDYNA          Thu Jan 14 16:18    28
No programs queued

`,
    idle: 'Using default server 31010@lic1\n\nNo programs running or queued\n',
    down: 'Using default server 31010@localhost\n*** ERROR failed to open server localhost\n',
  },
  rms: {
    blocks: `  Sentinel RMS Development Kit 9.1.0.0104 Application Monitor
  Copyright (C) 2016 SafeNet, Inc.

 [Contacting Sentinel RMS Development Kit server on host "lic1"]

 |- Feature Information
   |- Feature name                   : "MODEL"  	
   |- Feature version                : "1.0"

   |- License type                   : "Normal License" 
   |- License Version                : 0x08600000
   |- Commuter license allowed       : YES
   |- Maximum concurrent user(s)     : 130
   |- Unreserved tokens in use       : 2
   |- Reserved tokens in use         : 1
   |- Available reserved             : 4
   |- Soft limit on users            : Unlimited
   |- License start date             : Fri Jun 19 00:00:00 2026
   |- Expiration date                : Sat Nov 20 23:59:59 2027
   |- Server #1 locking code         : Primary   = 2014-*16ABC 
   |- Token lifetime (heartbeat)     : 300 secs (5 min(s))
   |- Allowed on VM                  : YES

   |- Client Information
     |- User name                      : ada
     |- Host name                      : PC-1
     |- X display name                 : local
     |- Group name                     : DefaultGrp
     |- Status                         : Running since Fri Jan 15 06:34:40 2027 
     |- Is commuter token              : NO

   |- License Information
     |- License Hash                   : 28BCBCF9FA5CA671
     |- License status                 : Active
     |- Maximum concurrent user(s)     : 100
     |- Expiration date                : Sat Nov 20 23:59:59 2027

   |- License Information
     |- License Hash                   : 38BCBCF9FA5CA671
     |- License status                 : Active
     |- Maximum concurrent user(s)     : 30
     |- Expiration date                : License has no expiration.

   |- License Information
     |- License Hash                   : 00238CDCDFD2C987
     |- License status                 : Inactive
     |- Maximum concurrent user(s)     : 5
     |- Expiration date                : Wed Jun 24 23:59:59 2026

   |- Client Information
     |- User name                      : bob
     |- Host name                      : PC-2
     |- X display name                 : local
     |- Status                         : Running since Thu Jan 14 06:34:40 2027 
     |- Number of tokens used          : 2
     |- Is commuter token              : YES

 |- Feature Information
   |- Feature name                   : "MODEL"
   |- Feature version                : "2.0"
   |- Maximum concurrent user(s)     : Unlimited
   |- Unreserved tokens in use       : 0
   |- Expiration date                : License has no expiration.
 Press Enter to continue . . .`,
    down: '  Sentinel RMS Development Kit 9.1.0.0104 Application Monitor\n\nFailed to resolve the server host "lic1".\n',
  },
  slurm: {
    lines: `LicenseName=ansys Total=100 Used=2 Free=98 Reserved=0 Remote=no
LicenseName=fluent Total=30 Used=1 Free=29 Reserved=7 Remote=no
LicenseName=nastran@lic1 Total=5 Used=0 Free=5 Reserved=0 Remote=yes LastConsumed=0 LastDeficit=0 LastUpdate=2027-01-15T07:00:00
`,
    indented: `LicenseName=ansys
    Total=100 Used=2 Free=98 Remote=no
LicenseName=fluent
    Total=30 Used=30 Free=0 Remote=no
`,
    json: '{"licenses": [{"LicenseName": "fluent", "Total": 30, "Used": 12, "Free": 18, "Remote": false, "Reserved": 0, "LastConsumed": 0, "LastUpdate": 0}], "meta": {}, "errors": []}\n',
    none: 'No licenses configured in Slurm.\n',
    down: 'slurm_load_licenses error: Unable to contact slurm controller (connect failure)\n',
  },
};
