// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP
import Testing

@Suite struct `The scope of a credential` {
    @Test(arguments: [
        ("https", "api.example.com", true), ("https", "API.example.com", true), ("https", "api.example.com:8443", true),
        ("http", "api.example.com", false), ("https", "example.com", false),
        ("https", "api.example.com.evil.com", false),
        ("https", "evil-api.example.com", false), ("https", "x.api.example.com", false),
    ])
    func `is an exact host`(scheme: String, authority: String, isAllowed: Bool) {
        let scope = CredentialScope.host("api.example.com")
        #expect(scope.allows(HTTPOrigin(scheme: scheme, authority: authority)) == isAllowed)
    }

    @Test(arguments: [
        ("example.com", true), ("api.example.com", true), ("a.b.example.com", true), ("badexample.com", false),
        ("example.com.evil.com", false), ("com", false),
    ])
    func `is a domain and what is below it`(authority: String, isAllowed: Bool) {
        let scope = CredentialScope.subdomains(of: "example.com")
        #expect(scope.allows(HTTPOrigin(scheme: "https", authority: authority)) == isAllowed)
        #expect(!scope.allows(HTTPOrigin(scheme: "http", authority: authority)))
    }

    @Test(arguments: [
        ("https", "api.example.com", true), ("https", "api.example.com:443", true),
        ("https", "api.example.com:444", false),
        ("http", "api.example.com", false),
    ])
    func `is one origin`(scheme: String, authority: String, isAllowed: Bool) {
        let scope = CredentialScope.origin(HTTPOrigin(scheme: "https", authority: "api.example.com"))
        #expect(scope.allows(HTTPOrigin(scheme: scheme, authority: authority)) == isAllowed)
    }

    @Test func `allows plain http to this machine alone`() {
        #expect(CredentialScope.host("127.0.0.1").allows(HTTPOrigin(scheme: "http", authority: "127.0.0.1:8080")))
        #expect(!CredentialScope.host("10.0.0.1").allows(HTTPOrigin(scheme: "http", authority: "10.0.0.1")))
    }
}
