// SPDX-License-Identifier: Apache-2.0

/// Keeps answers of a service beyond the life of a program.
///
/// Answers of actions are whatever the service says of a person: a store belongs to one account, and is emptied when
/// that signs out.
public protocol AnswerStore: Sendable {
    /// The last answer to a request, and when it came, in seconds since 1970; nil where there is none.
    func answer(to request: AnswerKey) async throws -> KeptAnswer?

    /// Keeps an answer in the place of the one before.
    func keep(_ answer: KeptAnswer, to request: AnswerKey) async throws

    /// Forgets all answers.
    func removeAll() async throws
}

/// Which request an answer is to.
public struct AnswerKey: Sendable, Hashable {
    /// The name of the action.
    public let action: String
    /// The request as it goes over the wire.
    public let request: [UInt8]

    /// A key.
    public init(action: String, request: [UInt8]) {
        self.action = action
        self.request = request
    }
}

/// An answer that was kept.
public struct KeptAnswer: Sendable, Hashable {
    /// The answer as it came over the wire.
    public let bytes: [UInt8]
    /// When it came, in seconds since 1970.
    public let time: Double

    /// An answer.
    public init(bytes: [UInt8], time: Double) {
        self.bytes = bytes
        self.time = time
    }
}
