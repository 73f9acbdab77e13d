# SPDX-License-Identifier: Apache-2.0
"""Apache with mod_auth_openidc of Debian, as its README configures a relying party and an API. The program writes its files and
becomes Apache."""

import os
import pwd
import secrets
import subprocess
import sys
from pathlib import Path

import party
import peer

MODULES = "/usr/lib/apache2/modules"
CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
DefaultRuntimeDir {folder}
PidFile {folder}/pid
ErrorLog /proc/self/fd/2
LogLevel warn
Listen 127.0.0.1:{port}
{modules}
TypesConfig /dev/null
AddType text/html .html
DirectoryIndex index.html
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
    {pkce}
    OIDCScope "openid email profile offline_access"
    OIDCCABundlePath {certificate}
    OIDCInfoHook userinfo access_token refresh_token
    <Location />
        Require all granted
    </Location>
    OIDCOAuthVerifyJwksUri {keys}
    <Location /api/>
        AuthType oauth20
        Require claim scope:notes:read
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


def become_user(folder):
    """As root, becomes the user that Debian has for it. So Apache is one process, which ends together with its parent."""
    if os.geteuid() == 0:
        user = pwd.getpwnam("www-data")
        # Its log is opened again.
        for one in (folder, sys.stderr.fileno()):
            os.chown(one, user.pw_uid, user.pw_gid)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        # Linux has forgotten it with the change of the user.
        peer.end_with_parent()


def main():
    settings = party.read()
    folder = party.folder_for(settings, "apache")
    certificate, key = Path(settings.certificate).read_text(), Path(settings.key).read_text()
    become_user(folder)
    Path(folder, "pages").mkdir()
    party.write(folder, "pages/goodbye.html", "goodbye")
    party.write(folder, "pages/api/index.html", "an answer of the API")
    # The module's own report of the session, which is at the redirect URI.
    report = '<meta http-equiv="refresh" content="0;url=/protected/redirect_uri?info=json">'
    party.write(folder, "pages/protected/start.html", report)
    path = party.write(folder, "apache.conf", CONFIGURATION.format(
        folder=folder, port=settings.port, certificate=party.write(folder, "certificate.pem", certificate),
        key=party.write(folder, "key.pem", key), discovery=settings.discovery, client_id=settings.client_id,
        client_secret=settings.client_secret, origin=settings.origin, passphrase=secrets.token_urlsafe(32),
        pkce="OIDCPKCEMethod S256" if settings.has_pkce else "", keys=settings.issuer + "/.well-known/jwks.json",
        modules="\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in NEEDED),
    ))
    package = "libapache2-mod-auth-openidc"
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], stdout=subprocess.PIPE, check=True, text=True)
    party.say({package: found.stdout})
    os.execv("/usr/sbin/apache2", ["apache2", "-f", path, "-X"])


main()
