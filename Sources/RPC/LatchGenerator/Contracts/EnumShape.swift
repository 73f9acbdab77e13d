// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// What an enum is in Swift: its cases, and further names of the same numbers.
package struct EnumShape {
    /// A value and its name.
    package struct Case {
        /// The value.
        package let value: EnumValueDescriptor
        /// Its name, as it is declared.
        package let name: String
        /// The name that another value has, so that this one has its number behind it; nil for all others.
        package var plainName: String?
    }

    /// The first value of each number, in the order of the file.
    package private(set) var cases: [Case] = []
    /// Further values of numbers that another one has.
    package private(set) var aliases: [(alias: Case, of: Case)] = []
    /// Whether numbers without a name are kept.
    package let isOpen: Bool

    /// The shape of an enum.
    package init(_ one: EnumDescriptor) {
        isOpen = one.features.enumType == .open
        var names = one.values.map { SwiftNames.enumCase($0.name, of: one.name) }
        // `FOO_BAR` and `BAR` of `Foo` would be one name; then all of them keep what is in front.
        if Set(names).count < names.count { names = one.values.map { SwiftNames.enumCase($0.name, of: "") } }
        var (byNumber, taken) = ([Int32: Case](), NameSet())
        var spellings: [Int32: Set<String>] = [:]
        for (value, name) in zip(one.values, names) {
            // Two spellings of one number that are one name in Swift are one case.
            guard spellings[value.number, default: []].insert(name).inserted else { continue }
            var own = Case(value: value, name: taken.take(name, or: Int(value.number)))
            if own.name != name { own.plainName = name }
            if let first = byNumber[value.number] {
                aliases.append((own, first))
            } else {
                byNumber[value.number] = own
                cases.append(own)
            }
        }
    }
}
