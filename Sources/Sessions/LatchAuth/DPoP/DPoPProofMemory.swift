// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// The used proofs of all processes that serve one origin (RFC 9449 §11.1), such as a table of a database that they share.
///
/// ```swift
/// struct UsedProofs: DPoPProofMemory {
///     let database: Database
///
///     func use(_ proof: String, until end: Date) async throws -> Bool {
///         try await database.run("INSERT INTO used_proof VALUES (?, ?) ON CONFLICT DO NOTHING", proof, end) == 1
///     }
/// }
/// ```
public protocol DPoPProofMemory: Sendable {
    /// Marks a proof as used, and returns whether it was not before.
    ///
    /// Both are one step: of two processes that get a proof at the same time, one gets true. An error refuses the request with 503.
    ///
    /// - Parameters:
    ///   - proof: The SHA-256 of the proof's key and `jti`, as 64 hexadecimal digits.
    ///   - end: The time from which on the proof need not be remembered.
    func use(_ proof: String, until end: Date) async throws -> Bool
}
