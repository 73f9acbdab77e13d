// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// An error that the refresh closure threw and that does not end the session.
struct RefreshFailure: Error {
    let cause: any Error
}

/// One refresh: its input, and the tokens that the program saves by itself meanwhile.
final class RefreshNote: Sendable {
    typealias Refresh = @Sendable (AuthTokens) async throws -> AuthTokens

    /// The refresh that the current task is part of.
    @TaskLocal static var current: RefreshNote?

    private let key: String
    private let saved = Mutex<AuthTokens?>(nil)
    private let count = Mutex(0)

    private init(key: String) { self.key = key }

    /// Obtains successors of tokens by the program's closure.
    ///
    /// - Throws: `AuthError.reauthenticationRequired` where the issuer refuses, which ends the session; a
    ///   `RefreshFailure` for anything else, which does not.
    static func run(_ renewal: RefreshRequest<AuthTokens>, fallback: @escaping Refresh) async throws -> AuthTokens {
        let note = RefreshNote(key: renewal.idempotencyKey)
        let refresh = DependencyValues.scoped?.refresh ?? fallback
        do {
            return try await $current.withValue(note) { try await refresh(renewal.credential) }
        } catch {
            // What the program has saved before it failed was handed out by the issuer: it must not be lost.
            if let saved = note.saved.withLock({ $0 }) { return saved }
            if refuses(error) { throw AuthError.reauthenticationRequired.caused(by: error) }
            throw error is CancellationError ? error : RefreshFailure(cause: error)
        }
    }

    /// Keeps tokens that the program saves itself.
    func save(_ tokens: AuthTokens) { saved.withLock { $0 = tokens } }

    /// Returns the idempotency key of the next POST, so that a repeated refresh gets the same response.
    func idempotencyKey() -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return number == 1 ? key : "\(key)-\(number)"
    }

    /// Whether an error is the issuer's word, or the program's, that the session is over.
    private static func refuses(_ error: any Error) -> Bool {
        switch error {
        case AuthError.reauthenticationRequired: true
        case let error as AuthTokens.Error: error != .missingToken
        case HTTPRequestClient.Error.badResponse(_, let status, let body): refuses(status, Array(body.utf8))
        case let error as HTTPError: error.response.map { refuses($0.status.rawValue, $0.body.bytes) } ?? false
        default: false
        }
    }

    /// RFC 6749 §5.2: 400 is also the status of mistakes in the request, which end nothing.
    private static func refuses(_ status: Int, _ body: [UInt8]) -> Bool {
        if status == 401 { return true }
        guard status == 400, let body = try? JSONValue(parsing: body) else { return false }
        return body["error"]?.stringValue == "invalid_grant"
    }
}
