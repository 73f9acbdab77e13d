// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchIdentity
import LatchProcess
import LatchTesting
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ClientSettingTests {
    @Test(arguments: [
        (
            "phone notes;grants=magic",
            "in word 2 the client 'notes' has the unknown grant 'magic'; known are password, "
        ),
        ("notes;secret=hunter2", "the client 'notes' has the unknown part 'secret'; known are confidential, "),
        ("notes;redirects=notes", "the client 'notes' has a URL in 'redirects' that is not allowed, number 1 of 1"),
        (
            "notes;logout=notes://a,hunter2",
            "the client 'notes' has a URL in 'logout' that is not allowed, number 2 of 2"
        ),
        ("notes;redirects=notes://a,notes://a", "the client 'notes' names a URL twice in 'redirects'"),
        ("notes;grants=password,password", "the client 'notes' names a grant twice"),
        ("notes;scopes=a,a", "the client 'notes' names a scope twice"), ("notes;grants", "has no value for 'grants'"),
        ("notes;trusted=yes", "has a value for 'trusted' that is neither true nor false"),
        ("first-party", "'first-party' is reserved"),
        ("phone hunter2=", "in word 2 an id has 1 to 100 characters"), ("a a", "two clients have the same id"),
    ])
    func `The setting of clients names the client and the unusable part, and no value`(text: String, said: String) {
        let error = #expect(throws: CommandError.self) { try Settings(environment: ["LATCH_CLIENTS": text]) }
        expectEqual(error?.message.hasPrefix("LATCH_CLIENTS: The setting 'clients' cannot be used: "), true)
        expectEqual(error?.message.contains(said), true, "\(error?.message ?? "")")
        #expect(error?.description.contains("hunter2") == false && error?.hint?.contains("OAuth clients") == true)
    }

    @Test(arguments: [
        (["LATCH_CLIENTS": "notes;grants=authorization_code"], "'notes' needs a URL in 'redirects' for the grant"),
        (["LATCH_DEFAULT_SCOPES": "notes:read files:read"], "no user can have 'notes:read'"),
        (["LATCH_ISSUER": "https://id.example.com", "LATCH_PASSKEY_DOMAIN": "other.com"], "passkey_domain"),
        (["LATCH_CLIENTS": "notes;confidential"], "client_secrets"),
        (["LATCH_UPSTREAMS": "google;client_id=a"], "set for 'google'"),
    ])
    func `The setting of clients is refused by a server, and by its doctor, if it can never work`(
        environment: [String: String], said: String
    ) async throws {
        let configuration = try Settings(environment: environment).configuration.identity
        let error = #expect(throws: IdentityError.self) { try configuration.check() }
        #expect(error == .invalidSetting && error?.message.contains(said) == true, "\(error?.message ?? "")")
        try await withTemporaryFolder { folder in
            let store = folder + "/latch.sqlite"
            let outcome = try await BuiltProgram.run(
                "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + store, environment: environment)
            #expect(outcome.ending == .exited(1) && outcome.error.contains { $0.contains(said) }, "\(outcome.error)")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
        try await CommandHome.with { home in
            let report = try await DoctorReport.of(home, [], environment)
            #expect(report.failures.contains("configuration") && report.says("configuration", said))
        }
    }

    @Test(
        arguments: [
            (["LATCH_CLIENTS": "phone;grants=password;scopes=files:read"], "files:read"),
            (["LATCH_FIRST_PARTY_SCOPES": "files:write", "LATCH_SCOPES": "notes:read"], "files:write"),
            (["LATCH_CLIENTS": "phone;grants=password;scopes=files:write,openid", "LATCH_SCOPES": "files:read"], nil),
        ] as [([String: String], String?)])
    func `The setting of clients has a warning about scopes that no user can have`(
        environment: [String: String], scope: String?
    ) throws {
        let mails = environment.merging(["LATCH_MAIL_DIRECTORY": "mails"]) { $1 }
        let warnings = try Settings(environment: mails)
            .warnings(listeningOn: try ListenAddress("127.0.0.1:0"), isEncrypted: false)
        expectEqual(warnings.count, scope == nil ? 0 : 1)
        #expect(warnings.allSatisfy { $0.message.hasSuffix("\(scope ?? "").") })
    }

    @Test func `The setting of clients needs no default scopes, which can also be those about the user`() throws {
        try Settings(environment: ["LATCH_SCOPES": "notes:read"]).configuration.identity.check()
        try Settings(environment: ["LATCH_SCOPES": "notes:read", "LATCH_DEFAULT_SCOPES": "notes:read openid"])
            .configuration.identity.check()
    }
}
