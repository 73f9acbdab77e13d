// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@Suite struct ContractTests {
    @Test(arguments: TokenStoreContract.rules)
    func `The contract of token stores is kept in memory`(rule: TokenStoreContract.Rule) async throws {
        let store = InMemoryTokenStore<Tokens>()
        try await rule.check { store }
    }

    @Test(arguments: TokenStoreContract.rules)
    func `The contract of token stores is kept in a file`(rule: TokenStoreContract.Rule) async throws {
        try await withTemporaryFolder { folder in
            try await rule.check {
                SecretTokenStore(
                    EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key")), name: "a"
                )
            }
        }
    }

    /// A store that forgets, or keeps too much.
    private final class Wrong: TokenStore {
        enum Fault: Sendable, CaseIterable { case forgetsExpiry, keepsFirst, doesNotClear, isPrivate }
        let fault: Fault
        let stored = Mutex<Tokens?>(nil)

        init(_ fault: Fault) { self.fault = fault }

        func save(_ tokens: Tokens) {
            var tokens = tokens
            if fault == .forgetsExpiry { tokens.expiry = nil }
            stored.withLock { if fault != .keepsFirst || $0 == nil { $0 = tokens } }
        }

        func load() -> Tokens? { stored.withLock { $0 } }

        func clear() { if fault != .doesNotClear { stored.withLock { $0 = nil } } }
    }

    @Test(arguments: Wrong.Fault.allCases)
    private func `The contract of token stores finds a store that breaks it`(fault: Wrong.Fault) async throws {
        let shared = Wrong(fault)
        var broken: [String] = []
        for rule in TokenStoreContract.rules {
            do {
                if fault == .isPrivate {
                    try await rule.check { Wrong(.isPrivate) }
                } else {
                    shared.stored.withLock { $0 = nil }
                    try await rule.check { shared }
                }
            } catch is ContractViolation {
                broken.append(rule.description)
            } catch is AuthError {
                broken.append(rule.description)
            }
        }
        #expect(!broken.isEmpty)
    }
}

@Suite struct CredentialContractTests {
    private static let samples: [CredentialContract.Sample] = [
        .init(BearerToken("s3cret"), other: BearerToken("another"), secrets: ["s3cret"]),
        .init(APIKey("s3cret"), other: APIKey("another"), secrets: ["s3cret"]),
        .init(APIKey("s3cret", inQuery: "key"), other: APIKey("another", inQuery: "key"), secrets: ["s3cret"]),
        .init(
            Tokens(access: "s3cret", refresh: "r3fresh"), other: Tokens(access: "another", refresh: "other"),
            secrets: ["s3cret", "r3fresh"]),
    ]

    @Test(arguments: CredentialContract.rules, samples.indices)
    func `The contract of credentials is kept by the credentials of LatchAuth`(
        rule: CredentialContract.Rule, index: Int
    ) async throws {
        try await rule.check(Self.samples[index])
    }

    /// A credential with the mistakes that are made.
    private struct Careless: SessionCredential, Codable {
        let ticket: String

        func authorize(_ request: inout HTTPRequest) {
            request.fields.append(ticket, for: "X-Ticket")
            request.fields[.accept] = "application/json"
        }
    }

    @Test func `The contract of credentials finds a credential that breaks it`() async throws {
        var broken: [String] = []
        for rule in CredentialContract.rules {
            do {
                try await rule.check(
                    .init(Careless(ticket: "s3cret"), other: Careless(ticket: "another"), secrets: ["s3cret"]))
            } catch is ContractViolation {
                broken.append(rule.description)
            }
        }
        expectEqual(
            broken,
            [
                "shows no secret in descriptions, reflection and dumps",
                "marks all secrets that it adds to a request, so that logs and redirects leave them out",
                "replaces its own fields when it authorizes a request again", "leaves the request as it is otherwise",
            ])
    }
}
