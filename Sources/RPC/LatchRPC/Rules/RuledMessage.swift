// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A message whose .proto file states rules for its fields, or for those of messages in it (`buf.validate`).
public protocol RuledMessage: Message {
    /// The rules.
    static var rules: MessageRules { get }
}

extension RuledMessage {
    /// The rules that the message breaks, here and in the messages inside; empty for a message that is right.
    ///
    /// - Parameter now: The time that rules about past and future compare with.
    public func violations(at now: Date = Date()) -> [Violation] {
        var check = RuleCheck(now: .moment(of: now))
        check.message(storage, by: Self.rules.plan(for: Self.schema), at: .message)
        return check.violations
    }
}

extension RuleOperand {
    /// A date as timestamps are compared.
    fileprivate static func moment(of date: Date) -> RuleOperand {
        let moment = Moment(date)
        return .moment(moment.seconds, Int64(moment.nanoseconds))
    }
}
