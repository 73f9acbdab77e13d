// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import Testing

@Suite struct CredentialScopeTests {
    @Test(arguments: [
        ("https", "api.example.com", true), ("https", "API.example.com", true), ("https", "api.example.com:8443", true),
        ("http", "api.example.com", false), ("https", "example.com", false),
        ("https", "api.example.com.evil.com", false),
        ("https", "evil-api.example.com", false), ("https", "x.api.example.com", false),
    ])
    func `The scope of a credential is an exact host`(scheme: String, authority: String, isAllowed: Bool) {
        let scope = CredentialScope.host("api.example.com")
        expectEqual(scope.allows(HTTPOrigin(scheme: scheme, authority: authority)), isAllowed)
    }

    @Test(arguments: [
        ("example.com", true), ("api.example.com", true), ("a.b.example.com", true), ("badexample.com", false),
        ("example.com.evil.com", false), ("com", false),
    ])
    func `The scope of a credential is a domain and its subdomains`(authority: String, isAllowed: Bool) {
        let scope = CredentialScope.subdomains(of: "example.com")
        expectEqual(scope.allows(HTTPOrigin(scheme: "https", authority: authority)), isAllowed)
        #expect(!scope.allows(HTTPOrigin(scheme: "http", authority: authority)))
    }

    @Test(arguments: [
        ("https", "api.example.com", true), ("https", "api.example.com:443", true),
        ("https", "api.example.com:444", false),
        ("http", "api.example.com", false),
    ])
    func `The scope of a credential is one origin`(scheme: String, authority: String, isAllowed: Bool) {
        let scope = CredentialScope.origin(HTTPOrigin(scheme: "https", authority: "api.example.com"))
        expectEqual(scope.allows(HTTPOrigin(scheme: scheme, authority: authority)), isAllowed)
    }

    @Test func `The scope of a credential allows plain http to this machine only`() {
        #expect(CredentialScope.host("127.0.0.1").allows(HTTPOrigin(scheme: "http", authority: "127.0.0.1:8080")))
        #expect(!CredentialScope.host("10.0.0.1").allows(HTTPOrigin(scheme: "http", authority: "10.0.0.1")))
    }

    @Test(arguments: ["", "a.", "evil.com.", "example.com"])
    func `The scope of a credential below no domain is nowhere`(authority: String) {
        #expect(!CredentialScope.subdomains(of: "").allows(HTTPOrigin(scheme: "https", authority: authority)))
    }

    /// `example.com.` is another name to certificates and cookies; a scope is no place for guessing.
    @Test func `The scope of a credential takes a dot at the end for another host`() {
        let origin = HTTPOrigin(scheme: "https", authority: "api.example.com.")
        #expect(!CredentialScope.host("api.example.com").allows(origin))
        #expect(!CredentialScope.subdomains(of: "example.com").allows(origin))
        #expect(CredentialScope.host("api.example.com.").allows(origin))
    }

    @Test(arguments: [
        ("https", "[2001:db8::1]", true), ("https", "[2001:DB8::1]:8443", true), ("http", "[2001:db8::1]", false),
        ("https", "[2001:db8::11]", false), ("https", "2001:db8::1", false), ("https", "[2001:db8::1].evil.com", false),
    ])
    func `The scope of a credential is an IPv6 address in brackets`(scheme: String, authority: String, isAllowed: Bool)
    {
        let scope = CredentialScope.host("[2001:DB8::1]")
        expectEqual(scope.allows(HTTPOrigin(scheme: scheme, authority: authority)), isAllowed)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:1", true), ("[::1]", "[::1]:8080", true), ("localhost", "LOCALHOST", true),
        ("app.localhost", "app.localhost", true), ("127.0.0.1.evil.com", "127.0.0.1.evil.com", false),
        ("localhost.evil.com", "localhost.evil.com", false), ("[::2]", "[::2]", false),
    ])
    func `The scope of a credential allows plain http if the host is certainly this machine`(
        host: String, authority: String, isAllowed: Bool
    ) {
        expectEqual(CredentialScope.host(host).allows(HTTPOrigin(scheme: "http", authority: authority)), isAllowed)
    }

    @Test(arguments: ["https://example.com:99999", "example.com:x", "example.com:", "example.com:+443"])
    func `The scope of a credential is not reached by an authority with an invalid port`(authority: String) {
        let origin = HTTPOrigin(scheme: "https", authority: authority)
        #expect(!CredentialScope.host("example.com").allows(origin))
        #expect(!CredentialScope.origin(HTTPOrigin(scheme: "https", authority: "example.com")).allows(origin))
        #expect(!CredentialScope.subdomains(of: "example.com").allows(origin))
    }
}
