// SPDX-License-Identifier: Apache-2.0

/// Swift names that are taken at one place, such as a message or an enum.
struct NameSet {
    private var taken: Set<String>

    /// - Parameter taken: Names that something has already.
    init(_ taken: Set<String> = []) { self.taken = taken }

    /// Takes a name; where something has it, the name with a number behind it, as in `fooBar_2`.
    ///
    /// No name that is made of a .proto file's has an underscore in its middle otherwise, so that this hits no other.
    mutating func take(_ name: String, or number: Int) -> String {
        guard !taken.insert(name).inserted else { return name }
        let other = Self.marked(name, number)
        taken.insert(other)
        return other
    }

    /// Takes the name of a property, with `hasX` and `clearX` beside it.
    mutating func takeTracked(_ name: String, or number: Int) -> String {
        var own = name
        if taken.contains(name) || !taken.isDisjoint(with: Self.beside(name)) { own = Self.marked(name, number) }
        taken.insert(own)
        taken.formUnion(Self.beside(own))
        return own
    }

    private static func beside(_ name: String) -> [String] {
        let capitalized = SwiftNames.capitalized(name)
        return ["has\(capitalized)", "clear\(capitalized)"]
    }

    private static func marked(_ name: String, _ number: Int) -> String {
        "\(SwiftNames.bare(name))_\(number < 0 ? "minus" : "")\(number.magnitude)"
    }
}
