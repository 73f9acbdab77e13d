// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift representation of an enum: its cases, and the aliases of their numbers.
struct EnumShape {
    /// A value and its name.
    struct Case {
        let value: EnumValueDescriptor
        /// The name of the Swift declaration.
        let name: String
        /// The name without a numeric suffix if another value has that name; otherwise nil.
        var plainName: String?
    }

    /// The first value for each number, in file order.
    private(set) var cases: [Case] = []
    /// The values whose number belongs to an earlier value.
    private(set) var aliases: [(alias: Case, of: Case)] = []
    /// Whether unknown numbers are preserved.
    let isOpen: Bool

    /// Creates the shape of an enum.
    init(_ one: EnumDescriptor) {
        isOpen = one.features.enumType == .open
        var names = one.values.map { SwiftNames.enumCase($0.name, of: one.name) }
        // `FOO_BAR` and `BAR` of `Foo` would get the same name; then all values keep their prefixes.
        if Set(names).count < names.count { names = one.values.map { SwiftNames.enumCase($0.name, of: "") } }
        var (byNumber, taken) = ([Int32: Case](), NameSet())
        var spellings: [Int32: Set<String>] = [:]
        for (value, name) in zip(one.values, names) {
            // Two names for one number that are equal in Swift become one case.
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
