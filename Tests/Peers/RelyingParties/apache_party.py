# SPDX-License-Identifier: Apache-2.0
"""Apache with mod_auth_openidc of Debian, as its README configures a relying party. The program writes its files and becomes Apache."""

import os
import pwd
import secrets
import subprocess
from pathlib import Path

import party

MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
DefaultRuntimeDir {folder}
PidFile {folder}/pid
ErrorLog /proc/self/fd/2
LogLevel warn
Listen 127.0.0.1:{port}
{identity}
{modules}
TypesConfig /dev/null
AddType text/html .html
SSLRandomSeed startup builtin
<VirtualHost 127.0.0.1:{port}>
    SSLEngine on
    SSLCertificateFile {certificate}
    SSLCertificateKeyFile {key}
    DocumentRoot {folder}/pages
    OIDCProviderMetadataURL {discovery}
    OIDCClientID {client_id}
    OIDCClientSecret {client_secret}
    OIDCRedirectURI {origin}/protected/redirect_uri
    OIDCCryptoPassphrase {passphrase}
    OIDCScope "openid email profile offline_access"
    OIDCCABundlePath {certificate}
    OIDCInfoHook userinfo access_token refresh_token
    <Location />
        Require all granted
    </Location>
    <Location /protected/>
        AuthType openid-connect
        Require claim email_verified:true
    </Location>
</VirtualHost>
"""
NEEDED = [
    "mpm_event", "authn_core", "authz_core", "authz_user", "socache_shmcb", "ssl", "dir", "mime", "alias", "auth_openidc",
]


def main():
    settings = party.read()
    folder = party.folder_for(settings, "apache")
    pages = party.folder_for(settings, "apache/pages")
    Path(pages, "goodbye.html").write_text("goodbye")
    # The module's own report of the session, which is at the redirect URI.
    report = '<meta http-equiv="refresh" content="0;url=/protected/redirect_uri?info=json">'
    Path(party.folder_for(settings, "apache/pages/protected"), "start.html").write_text(report)
    # As root it needs a user for its processes, who reads the pages.
    user = pwd.getpwnam("www-data") if os.geteuid() == 0 else None
    text = CONFIGURATION.format(
        folder=folder, port=settings.port, certificate=settings.certificate, key=settings.key, discovery=settings.discovery,
        client_id=settings.client_id, client_secret=settings.client_secret, origin=settings.origin,
        passphrase=secrets.token_urlsafe(32), identity="User www-data\nGroup www-data" if user else "",
        modules="\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in NEEDED),
    )
    path = Path(folder, "apache.conf")
    path.touch(mode=0o600)
    path.write_text(text)
    package = "libapache2-mod-auth-openidc"
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, check=True, text=True)
    party.say({package: found.stdout})
    os.execv("/usr/sbin/apache2", ["apache2", "-f", str(path), "-D", "FOREGROUND"])


main()
