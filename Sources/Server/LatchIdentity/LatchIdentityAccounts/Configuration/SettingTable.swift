// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchIdentityStorage

/// The form of a setting as tables of a configuration file, such as `[[clients]]`.
package struct SettingTables<Value>: Sendable {
    package let parse: @Sendable (_ tables: [JSONObject]) throws(SettingProblem) -> Value
    /// Returns the tables of a value, which `parse` accepts.
    package let tables: @Sendable (_ value: Value) -> [JSONObject]
}

extension SettingTables {
    /// Creates the form of a list, each element of which is a table.
    ///
    /// - Parameters:
    ///   - known: The names of all members.
    ///   - key: The name of the member that identifies an element.
    package static func list<Element>(
        known: [String], key: String, id: @escaping @Sendable (Element) -> String,
        parse: @escaping @Sendable (SettingTable) throws(SettingTable.MemberError) -> Element,
        table: @escaping @Sendable (Element) -> JSONObject
    ) -> Self where Value == [Element] {
        Self(
            parse: { tables throws(SettingProblem) in
                var (elements, ids): ([Element], Set<String>) = ([], [])
                for (index, members) in tables.enumerated() {
                    do throws(SettingTable.MemberError) {
                        let element = try parse(SettingTable(members, known: known))
                        guard ids.insert(id(element)).inserted else {
                            throw SettingTable.MemberError("'\(key)' is that of an earlier table, '\(id(element))'")
                        }
                        elements.append(element)
                    } catch {
                        throw .inTable(index, "in table \(index + 1) \(error.reason)", unknown: error.unknown)
                    }
                }
                return elements
            }, tables: { $0.map(table) })
    }
}

/// A table of a configuration file, whose members are checked.
package struct SettingTable {
    /// The member that cannot be used.
    ///
    /// It quotes names only: a value may be a secret in the wrong place.
    package struct MemberError: Error {
        /// A sentence without its full stop.
        package let reason: String
        /// The name of a member that is not known; nil for any other error.
        package var unknown: String?

        init(_ reason: String, unknown: String? = nil) { (self.reason, self.unknown) = (reason, unknown) }
    }

    private let members: JSONObject

    /// Creates a table, each of whose members must be known.
    init(_ members: JSONObject, known: [String]) throws(MemberError) {
        for name in members.keys where !known.contains(name) {
            let quoted = name.isWord(maximum: 60, also: "_-") ? "there is no member '\(name)'" : "a member is not known"
            throw MemberError("\(quoted); known are \(known.joined(separator: ", "))", unknown: name)
        }
        self.members = members
    }

    /// Returns a text that must be there, and not empty.
    func requiredText(_ name: String) throws(MemberError) -> String {
        guard let text = try text(name), !text.isEmpty else { throw MemberError("'\(name)' is missing") }
        return text
    }

    /// Returns a text; nil if there is none.
    package func text(_ name: String) throws(MemberError) -> String? {
        guard let value = members[name] else { return nil }
        guard let text = value.stringValue else { throw MemberError("'\(name)' must be a text") }
        return text
    }

    /// Returns a value of any type; nil if there is none.
    func value(_ name: String) -> JSONValue? { members[name] }

    /// Returns a list of texts; nil if there is none.
    package func list(_ name: String) throws(MemberError) -> [String]? {
        guard let value = members[name] else { return nil }
        let texts = value.arrayValue?.compactMap(\.stringValue)
        guard let texts, texts.count == value.arrayValue?.count else {
            throw MemberError("'\(name)' must be a list of texts, such as [\"a\", \"b\"]")
        }
        return texts
    }

    /// Returns a whole number; nil if there is none.
    func number(_ name: String) throws(MemberError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.intValue else { throw MemberError("'\(name)' must be a whole number") }
        return number
    }

    /// Returns true or false; nil if there is none.
    package func flag(_ name: String) throws(MemberError) -> Bool? {
        guard let value = members[name] else { return nil }
        guard let flag = value.boolValue else { throw MemberError("'\(name)' must be true or false") }
        return flag
    }
}
