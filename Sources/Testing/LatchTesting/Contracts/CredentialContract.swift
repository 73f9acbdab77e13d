// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchFoundation
import LatchHTTP

/// The rules of every session credential, for tests of implementations.
///
/// ```swift
/// @Test(arguments: CredentialContract.rules)
/// func `A ticket keeps the contract`(rule: CredentialContract.Rule) async throws {
///     try await rule.check(.init(Ticket("s3cret"), other: Ticket("another"), secrets: ["s3cret"]))
/// }
/// ```
public enum CredentialContract {
    /// A credential to check the rules with.
    public struct Sample: Sendable {
        let secrets: [String]
        let texts: [String]
        let authorize: @Sendable (inout HTTPRequest) async throws -> Void
        let isRestored: @Sendable () throws -> Bool
        let comparisons: @Sendable () -> [(holds: Bool, rule: String)]

        /// Describes a sample.
        ///
        /// - Parameters:
        ///   - credential: The credential.
        ///   - other: A credential with other secrets.
        ///   - secrets: The texts in the credential that must never be shown.
        public init<Value: SessionCredential & Codable>(_ credential: Value, other: Value, secrets: [String]) {
            self.secrets = secrets
            var dumped = ""
            dump(credential, to: &dumped)
            texts = ["\(credential)", String(reflecting: credential), dumped]
            authorize = { try await credential.authorize(&$0) }
            isRestored = {
                try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(credential)) == credential
            }
            comparisons = {
                [
                    (credential == credential && credential != other, "is not equal to itself, or equal to another"),
                    (credential.hasSameAccessToken(as: credential), "has another access token than itself"),
                    (!credential.hasSameAccessToken(as: other), "has the access token of another"),
                    (credential.hasSameRefreshToken(as: credential), "has another refresh token than itself"),
                    (credential.hasSameUser(as: credential) != false, "has another user than itself"),
                    (
                        credential.updated(by: credential, for: nil) == credential,
                        "changes when it is updated by itself"
                    ),
                ]
            }
        }
    }

    /// One sentence of the contract, with the test that checks it.
    public typealias Rule = ContractRule<Sample>

    /// The rules, in the order in which a test checks them.
    public static let rules: [Rule] = [comparing, storing, hiding, marking, repeating, preserving]

    private static let request = HTTPRequest(
        method: .post, authority: "api.example.com", path: "/notes?page=2",
        fields: [.contentType: "text/plain", .accept: "text/plain"], body: HTTPBody("text"))

    private static func authorized(_ sample: Sample, times: Int = 1) async throws -> HTTPRequest {
        var request = request
        for _ in 0..<times { try await sample.authorize(&request) }
        return request
    }
}

extension CredentialContract {
    static let comparing = Rule("is the same as itself, and no other") { sample in
        for (holds, rule) in sample.comparisons() { try Rule.require(holds, rule) }
    }

    static let storing = Rule("is the same after it was encoded and decoded") { sample in
        try Rule.require(try sample.isRestored(), "another one comes back")
    }

    static let hiding = Rule("shows no secret in descriptions, reflection and dumps") { sample in
        for secret in sample.secrets {
            try Rule.require(!sample.texts.contains { $0.contains(secret) }, "a text shows a secret")
        }
    }

    static let marking = Rule("marks all secrets that it adds to a request, so that logs and redirects leave them out")
    {
        let request = try await authorized($0)
        let known: [HTTPFieldName] = [.authorization, .cookie, "Proxy-Authorization"] + request.credentialFields
        for secret in $0.secrets {
            for field in request.fields where field.value.contains(secret) {
                try Rule.require(known.contains(field.name), "the field \(field.name.rawName) is not marked")
            }
            for pair in (request.query ?? "").split(separator: "&") where pair.contains(secret) {
                let name = String(pair.prefix { $0 != "=" })
                try Rule.require(request.credentialQueryNames.contains(name), "the parameter \(name) is not marked")
            }
        }
    }

    static let repeating = Rule("replaces its own fields when it authorizes a request again") { sample in
        let (once, twice) = (try await authorized(sample), try await authorized(sample, times: 2))
        try Rule.require(once.fields.map(\.name) == twice.fields.map(\.name), "fields are there twice")
        let names = [once, twice].map { ($0.query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } } }
        try Rule.require(names[0] == names[1], "parameters are there twice")
    }

    static let preserving = Rule("leaves the request as it is otherwise") { sample in
        let after = try await authorized(sample)
        try Rule.require(
            after.method == request.method && after.authority == request.authority, "it is another request")
        try Rule.require(after.pathWithoutQuery == request.pathWithoutQuery, "the path is another one")
        try Rule.require((after.query ?? "").hasPrefix("page=2"), "the query is another one")
        try Rule.require(after.body == request.body, "the content is another one")
        for field in request.fields {
            try Rule.require(after.fields[field.name] == field.value, "a field is another one")
        }
    }
}
