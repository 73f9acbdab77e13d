# SPDX-License-Identifier: Apache-2.0
"""A browser without a window: cookies, redirects and forms, over TLS to ports of loopback."""

import http.client
import re
import socket
import ssl
from html import unescape
from http.cookiejar import CookieJar
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import Request

LIMIT = 60
NAVIGATION = {"Accept": "text/html,*/*;q=0.8", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


class Page:
    """The last response of a chain of redirects."""

    def __init__(self, url, response):
        self.url, self.status, self.headers = url, response.status, response.headers
        self.location = urljoin(url, response.headers["Location"]) if response.headers["Location"] else ""
        self.text = response.read().decode()

    # What the cookie jar asks for.
    def info(self):
        return self.headers


class Browser:
    """One browser; `ports` has the port of loopback that each host name stands for."""

    def __init__(self, certificate, ports):
        self.jar, self.ports = CookieJar(), ports
        self.trusted = ssl.create_default_context(cafile=certificate)

    def send(self, url, fields, content):
        parts = urlsplit(url)
        request = Request(url, headers={})
        self.jar.add_cookie_header(request)
        cookies = {"Cookie": request.get_header("Cookie")} if request.has_header("Cookie") else {}
        plain = socket.create_connection(("127.0.0.1", self.ports[parts.hostname]), timeout=LIMIT)
        connection = http.client.HTTPConnection(parts.hostname, timeout=LIMIT)
        connection.sock = self.trusted.wrap_socket(plain, server_hostname=parts.hostname)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("GET" if content is None else "POST", target, content, fields | cookies)
        page = Page(url, connection.getresponse())
        connection.close()
        self.jar.extract_cookies(page, request)
        return page

    def open(self, url, fields=(), content=None, program=False, follow=True, through=None, until=None):
        """Opens a URL; `through` collects the targets of redirects, and one that begins with `until` is not opened."""
        sent = ({} if program else NAVIGATION) | dict(fields)
        if content is not None:
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        page = self.send(url, sent, content)
        for _ in range(10):
            if not (follow and page.location):
                return page
            if through is not None:
                through.append(page.location)
            if until and (page.location.startswith(until) or urlsplit(page.location).path == until):
                return page
            page = self.send(page.location, {} if program else NAVIGATION, None)
        return page

    def submit(self, page, fields, **options):
        """Sends the form of a page."""
        action = unescape(re.search(r'action="([^"]*)"', page.text)[1])
        token = unescape(re.search(r'name="token" value="([^"]*)"', page.text)[1])
        form = urlencode({"token": token} | fields).encode()
        return self.open(urljoin(page.url, action), {"Sec-Fetch-Site": "same-origin"}, form, **options)

    @staticmethod
    def ask(port, path, fields, source="127.0.0.1"):
        """Asks a server directly, without TLS."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT, source_address=(source, 0))
        connection.request("GET", path, headers=fields)
        page = Page(f"http://127.0.0.1:{port}{path}", connection.getresponse())
        connection.close()
        return page
