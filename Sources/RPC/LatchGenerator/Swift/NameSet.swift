// SPDX-License-Identifier: Apache-2.0

/// The Swift names in use in a scope, such as a message or an enum.
struct NameSet {
    private var taken: Set<String>
    /// The names from earlier parts of the scope, such as other files of a package.
    private var earlier: Set<String> = []
    /// The first number that may be free, for each name of earlier parts.
    private var next: [String: Int] = [:]

    /// Creates a set with names that are already taken.
    init(_ taken: Set<String> = []) { self.taken = taken }

    /// Takes a name, or the name with a numeric suffix if it is in use, as in `fooBar_2`.
    ///
    /// No other converted name contains an underscore, so the number is increased only if the same number was used
    /// before. If an earlier part has the name, the number is at least 2.
    mutating func take(_ name: String, or number: Int) -> String {
        guard !taken.insert(name).inserted else { return name }
        let isEarlier = earlier.contains(name)
        var (number, other) = (isEarlier ? next[name] ?? 2 : number, "")
        repeat {
            other = Self.suffixed(name, number)
            number += number < 0 ? -1 : 1
        } while !taken.insert(other).inserted
        if isEarlier { next[name] = number }
        return other
    }

    /// Begins another part of the scope, whose numbers do not apply to the names of earlier parts.
    mutating func beginPart() { earlier = taken }

    /// Takes the name of a property together with its `hasX` and `clearX`.
    mutating func takeTracked(_ name: String, or number: Int) -> String {
        var own = name
        if taken.contains(name) || !taken.isDisjoint(with: Self.companions(of: name)) {
            own = Self.suffixed(name, number)
        }
        taken.insert(own)
        taken.formUnion(Self.companions(of: own))
        return own
    }

    private static func companions(of name: String) -> [String] {
        let capitalized = SwiftNames.capitalized(name)
        return ["has\(capitalized)", "clear\(capitalized)"]
    }

    private static func suffixed(_ name: String, _ number: Int) -> String {
        "\(SwiftNames.bare(name))_\(number < 0 ? "minus" : "")\(number.magnitude)"
    }
}
