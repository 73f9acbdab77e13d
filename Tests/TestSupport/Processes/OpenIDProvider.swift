// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchProcess

/// A real OpenID provider on a free port of 127.0.0.1, with one account and two clients.
///
/// Tests/Peers/OpenID starts it, and Documentation/Interop.md describes each. It ends with the last reference to it.
public final class OpenIDProvider: Sendable {
    /// The providers that can be started.
    public enum Name: String, CaseIterable, Codable, Sendable {
        case django, authlib, mock, canaille, glewlwyd, lemonldap
    }

    /// The facts that a client needs.
    public struct Facts: Decodable, Sendable {
        /// The one account of the provider.
        public struct User: Decodable, Sendable { public let name, password, email: String }
        /// A registered client; a public one has no secret.
        public struct Registration: Decodable, Sendable {
            public let clientId: String
            public let clientSecret: String?
        }

        public let name: Name
        public let version: String
        public let issuer: URL
        /// The address of the discovery document.
        public let discovery: URL?
        public let user: User
        /// The client that has to use PKCE; nil where the provider has no such clients.
        public let `public`: Registration?
        /// The client that authenticates with `client_secret_basic`.
        public let confidential: Registration
        /// The deviations that a test has to know, in words.
        public let quirks: [String]
    }

    /// The facts that the launcher printed.
    public let facts: Facts
    private let process: PeerProgram

    /// Starts a provider and waits until it answers.
    ///
    /// - Parameters:
    ///   - redirects: The redirect URIs of both clients.
    ///   - postLogout: The addresses to which a logout may return.
    /// - Throws: `ServedLatch.Failure` with what the launcher says, for instance which package is missing.
    public static func start(
        _ name: Name, redirects: [String], postLogout: [String] = []
    ) async throws -> OpenIDProvider {
        var arguments = [name.rawValue, "--no-input"]
        for uri in redirects { arguments += ["--redirect", uri] }
        for uri in postLogout { arguments += ["--post-logout", uri] }
        let process = try await PeerProgram.start("provider", arguments)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return OpenIDProvider(facts: try decoder.decode(Facts.self, from: process.firstLine), process: process)
    }

    private init(facts: Facts, process: PeerProgram) {
        self.facts = facts
        self.process = process
    }
}

/// A program of Tests/Peers/OpenID, which ends with the last reference to it.
final class PeerProgram: Sendable {
    let firstLine: Data
    private let process: ChildProcess

    /// Starts the program and waits for its first line.
    static func start(_ program: String, _ arguments: [String]) async throws -> PeerProgram {
        let folder = URL(filePath: #filePath).appending(path: "../../../Peers/OpenID").standardized
        let errors = FileManager.default.temporaryDirectory.appending(path: "latch-peer-\(UUID().uuidString)")
        let process = try ChildProcess.start(
            "/usr/bin/env", ["python3", folder.appending(path: program).path] + arguments, errors: .file(errors.path))
        guard let line = await process.line() else {
            await process.end()
            let said = try String(contentsOf: errors, encoding: .utf8)
            try FileManager.default.removeItem(at: errors)
            throw ServedLatch.Failure(description: said)
        }
        // The program keeps the file open, which then has no name any more.
        try FileManager.default.removeItem(at: errors)
        return PeerProgram(firstLine: Data(line.utf8), process: process)
    }

    private init(firstLine: Data, process: ChildProcess) {
        self.firstLine = firstLine
        self.process = process
    }

    deinit { process.terminate() }
}
