// SPDX-License-Identifier: Apache-2.0

/// A rule that every implementation of a protocol must follow, for tests of an implementation.
public struct ContractRule<Subject: Sendable>: Sendable, CustomStringConvertible {
    /// The rule as a sentence without its subject.
    public let description: String
    private let body: @Sendable (Subject) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (Subject) async throws -> Void) {
        self.description = description
        self.body = body
    }

    /// Checks the rule.
    ///
    /// - Throws: ``ContractViolation`` if it is broken, or an error of the implementation.
    public func check(_ subject: Subject) async throws { try await body(subject) }
}

/// An error for an implementation that breaks a rule; it contains no secret.
public struct ContractViolation: Error, CustomStringConvertible {
    /// The broken rule, or the way in which it is broken.
    public let description: String
}

extension ContractRule {
    /// Throws a violation unless a condition holds.
    static func require(_ holds: Bool, _ description: String) throws {
        guard holds else { throw ContractViolation(description: description) }
    }
}
