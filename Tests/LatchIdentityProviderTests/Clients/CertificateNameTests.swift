// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchServer
import TestSupport
import Testing

@testable import LatchIdentity

/// RFC 8705 §2.1.2 and RFC 4514.
@Suite struct CertificateNameTests {
    @Test(
        arguments: [
            "", "notes", "CN", "=x", "XX=notes", "CN=a,", "CN=a,O", "CN=a+", "CN=\"a\"", "CN=a\\", "CN=a\\x", "CN=a<b",
            "CN=#0", "CN=#zz", "CN=a+CN=a", "CN=a\n", "2.5.4.=a,",
        ])
    func `A text that is not a distinguished name is refused`(text: String) {
        expectNil(CertificateName(.subject, text))
    }

    @Test(arguments: [
        (CertificateName.Kind.ip, "10.0.0"), (.ip, "a.example"), (.dns, ""), (.uri, "a b"), (.email, "ä@x"),
    ])
    func `A text that is not a name of its kind is refused`(kind: CertificateName.Kind, text: String) {
        expectNil(CertificateName(kind, text))
    }

    @Test(
        arguments: [
            ("/CN=notes", "CN=notes", true), ("/CN=notes", "CN=Notes", false), ("/CN=notes", "O=notes", false),
            ("/C=DE/O=Übung, AG/CN=a", "CN=a,O=Übung\\, AG,C=DE", true),
            ("/C=DE/O=Übung, AG/CN=a", "CN=a,O=\\C3\\9Cbung\\2C AG,C=DE", true),
            ("/C=DE/O=Übung, AG/CN=a", "C=DE,O=Übung\\, AG,CN=a", false),
            ("/CN=a+OU=b", "OU=b+CN=a", true), ("/CN=a+OU=b", "OU=b,CN=a", false), ("/CN=a/OU=b", "OU=b+CN=a", false),
            ("/CN=a", "CN=#0C0161", true), ("/CN=a", "2.5.4.3=#0c0161", true), ("/CN=a", "CN=\\#0C0161", false),
            ("/CN= a ", "CN=\\ a\\ ", true), ("/CN=a,O=b", "CN=a,O=b", false), ("/CN=a,O=b", "CN=a\\,O=b", true),
            ("/DC=example/UID=7", "UID=7,DC=example", true), ("/CN=a/CN=b", "CN=b,CN=a", true),
            ("/CN=a/CN=b", "CN=b", false),
        ])
    func `A subject is compared by its attributes`(subject: String, name: String, isSame: Bool) async throws {
        let authority = try await ClientAuthority()
        let certificate = PresentedCertificate(der: try await authority.stranger(subject: subject).der)
        let registered = try #require(CertificateName(.subject, name))
        expectEqual(certificate.has(registered), isSame)
    }

    @Test func `Odd names and extensions of a certificate do not hide its other names`() async throws {
        // An identifier below 2.25 has a UUID, with up to 128 bits (X.667).
        let uuid = "2.25.329800735698586629295641978511506172918"
        let authority = try await ClientAuthority()
        let client = try await authority.client(
            subject: "/CN=notes/odd=a", names: "email:an odd one,DNS:a.example", oid: uuid)
        let certificate = PresentedCertificate(der: client.der)
        for (kind, text) in [(CertificateName.Kind.dns, "a.example"), (.subject, "CN=notes"), (.email, "an")] {
            let name = try #require(CertificateName(kind, text))
            expectEqual(certificate.has(name), kind == .dns, "\(text)")
        }
        #expect(certificate.publicKeyPEM != nil)
    }

    @Test func `A damaged certificate has no name and stops no server`() async throws {
        let authority = try await ClientAuthority()
        let der = try await authority.client(names: "DNS:a.example,IP:2001:db8::1").der
        let name = try #require(CertificateName(.ip, "2001:DB8:0::1"))
        #expect(PresentedCertificate(der: der).has(name))
        for index in der.indices {
            #expect(!PresentedCertificate(der: Array(der[..<index])).has(name))
            for bit in [UInt8(0x01), 0x80, 0xFF] {
                var damaged = der
                damaged[index] ^= bit
                _ = PresentedCertificate(der: damaged).has(name)
            }
        }
    }
}
