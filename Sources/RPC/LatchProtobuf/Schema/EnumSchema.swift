// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The names and numbers of an enum, as text with one line `NUMBER NAME` per value, in file order.
public final class EnumSchema: Sendable {
    /// The full name, such as `userservice.v1.UserRole`.
    public let name: String
    private let text: String
    private let parsed = Mutex<Values?>(nil)

    struct Values: Sendable {
        var first: Int32 = 0
        var names: [Int32: String] = [:]
        var numbers: [String: Int32] = [:]
    }

    /// Creates a schema from text, which is parsed on first use.
    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// Returns the first name of a number; nil for an unknown number.
    public func name(of number: Int32) -> String? { values.names[number] }

    /// Returns the number of a name; nil for an unknown name.
    ///
    /// In Swift the Kelvin sign equals the letter K; names in .proto files are ASCII only.
    public func number(of name: String) -> Int32? {
        guard let number = values.numbers[name], name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return number
    }

    /// The number of the first value, which is the default.
    var first: Int32 { values.first }

    func contains(_ number: Int32) -> Bool { values.names[number] != nil }

    private var values: Values {
        parsed.withLock { parsed in
            let values = parsed ?? Self.parse(text)
            parsed = values
            return values
        }
    }

    private static func parse(_ text: String) -> Values {
        var values = Values()
        for line in text.unicodeScalars.split(separator: "\n") {
            let words = line.split(separator: " ").map { Substring($0) }
            guard words.count == 2, let number = Int32(words[0]) else { continue }
            let name = String(words[1])
            if values.numbers.isEmpty { values.first = number }
            if values.names[number] == nil { values.names[number] = name }
            values.numbers[name] = number
        }
        return values
    }
}
