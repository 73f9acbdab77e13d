// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The names and numbers of an enum, as text: one line `NUMBER NAME` for each value, in the order of the file.
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

    /// Makes a schema of its text, which is read when it is first needed.
    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// The name of a number, the first one where it has several; nil where the enum does not have it.
    public func name(of number: Int32) -> String? { values.names[number] }

    /// The number of a name.
    ///
    /// To Swift the Kelvin sign and the letter K are one character; names of .proto files are ASCII, and others are none.
    public func number(of name: String) -> Int32? {
        guard let number = values.numbers[name], name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return number
    }

    /// The number of the first value, which is the default.
    var first: Int32 { values.first }

    func contains(_ number: Int32) -> Bool { values.names[number] != nil }

    private var values: Values {
        parsed.withLock { parsed in
            if let parsed { return parsed }
            let values = Self.parse(text)
            parsed = values
            return values
        }
    }

    private static func parse(_ text: String) -> Values {
        var values = Values()
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int32(words[0]) else { continue }
            let name = String(words[1])
            if values.numbers.isEmpty { values.first = number }
            if values.names[number] == nil { values.names[number] = name }
            values.numbers[name] = number
        }
        return values
    }
}
