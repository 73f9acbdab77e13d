// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// What every secret store does, whatever it keeps its secrets in; a store of one's own is tested by the same rules.
///
/// ```swift
/// @Test(arguments: SecretStoreContract.rules)
/// func `keeps the contract`(rule: SecretStoreContract.Rule) async throws {
///     try await rule.check { MyStore(at: place) }
/// }
/// ```
public enum SecretStoreContract {
    /// Makes another instance over the same place, which is empty at first.
    public typealias Place = @Sendable () async throws -> any SecretStore

    /// One sentence of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The sentence, with "a store" in front.
        public let description: String
        private let body: @Sendable (Place) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (Place) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Checks the rule at an empty place.
        ///
        /// - Throws: ``Violation`` where the store breaks the rule, or what the store itself throws.
        public func check(_ place: Place) async throws { try await body(place) }
    }

    /// A store that breaks a rule; what it kept and what it should have kept are not told, since both may be secrets.
    public struct Violation: Error, CustomStringConvertible {
        /// What was broken.
        public let description: String
    }

    /// All rules.
    public static let rules: [Rule] = [
        bytes, names, missing, overwriting, removing, instances, manyTasks, oneName, cancellation, records,
    ]

    /// Demands that something holds.
    static func require(_ holds: Bool, _ description: String) throws {
        guard holds else { throw Violation(description: description) }
    }
}
