// SPDX-License-Identifier: Apache-2.0

/// The Swift names that are taken in a scope, such as a message or an enum.
struct NameSet {
    private var taken: Set<String>

    /// Creates a set with names that are already taken.
    init(_ taken: Set<String> = []) { self.taken = taken }

    /// Takes a name, or the name with a numeric suffix where it is taken, as in `fooBar_2`.
    ///
    /// No other converted name contains an underscore, so that the suffixed name is unique.
    mutating func take(_ name: String, or number: Int) -> String {
        guard !taken.insert(name).inserted else { return name }
        let other = Self.suffixed(name, number)
        taken.insert(other)
        return other
    }

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
