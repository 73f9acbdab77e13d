// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation
import Synchronization

/// A message whose .proto file contains validation rules for it or its nested messages (`buf.validate`).
public protocol RuledMessage: Message {
    static var rules: MessageRules { get }
}

extension RuledMessage {
    /// Returns the violated rules, including those of nested messages; empty for a valid message.
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
/// Each line has the name of a field and its rules, named as in protovalidate, with a value after `=` if needed.
/// Strings are quoted, and bytes are quoted hexadecimal digits. Times are seconds and nanoseconds separated by a colon.
/// `items(…)`, `keys(…)` and `values(…)` contain the rules of elements. Lines for oneofs begin with `@oneof NAME`, and
/// those for mutually exclusive fields with `@one`:
///
/// ```
/// email required string.email string.max_len=254
/// tags repeated.max_items=10 items( string.pattern="^[a-z]+$" )
/// @oneof contact required
/// @one phone,fax required
/// ```
///
/// An unknown rule is a mistake of the text's author. Every message then violates it, so that no message passes by
/// accident.
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
