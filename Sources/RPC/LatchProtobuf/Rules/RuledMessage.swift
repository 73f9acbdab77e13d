// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import PortableFoundation
import Synchronization

/// A message with validation rules in its .proto file, for itself or for nested messages (`buf.validate`).
public protocol RuledMessage: Message {
    /// The rules of the message.
    static var rules: MessageRules { get }
}

extension RuledMessage {
    /// Returns the violated rules, in nested messages too; empty for a valid message.
    ///
    /// - Parameter now: The current time for rules about past and future.
    public func violations(at now: Date = Date()) -> [Violation] {
        let time = SecondsAndNanos(now)
        var check = RuleCheck(now: .time(time.seconds, Int64(time.nanoseconds)))
        check.message(storage, by: Self.rules.plan(for: Self.schema), at: .message)
        return check.violations
    }
}

/// The validation rules of a message, as text that is parsed at the first validation.
///
/// Each line has the name of a field and its rules, named as in protovalidate, with a value after `=` if they need one.
/// Strings are quoted, bytes are quoted hexadecimal digits, times are seconds and nanoseconds separated by a colon;
/// `items(…)`, `keys(…)` and `values(…)` hold the rules of elements. Lines of oneofs begin with `@oneof NAME`, those of
/// mutually exclusive fields with `@one`:
///
/// ```
/// email required string.email string.max_len=254
/// tags repeated.max_items=10 items( string.pattern="^[a-z]+$" )
/// @oneof contact required
/// @one phone,fax required
/// ```
///
/// An unknown rule is an error of the text's author; every message violates it, so that nothing passes by mistake.
public final class MessageRules: Sendable {
    private let text: String
    private let compiled = Mutex<CompiledRules?>(nil)

    /// Creates rules from text.
    public init(_ text: String = "") { self.text = text }

    /// Returns the rules resolved against a schema.
    func plan(for schema: MessageSchema) -> CompiledRules {
        compiled.withLock { compiled in
            let plan = compiled ?? CompiledRules(text, schema)
            compiled = plan
            return plan
        }
    }
}
