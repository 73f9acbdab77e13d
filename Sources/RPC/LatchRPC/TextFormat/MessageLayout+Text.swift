// SPDX-License-Identifier: Apache-2.0

extension MessageLayout {
    /// The slot of a field by its name in the text format.
    ///
    /// A group goes by its type's name, as it was written in the .proto file, and by the field's name as well.
    func textSlot(of name: String) -> Int? {
        byName[name] ?? fields.first { $0.textName == name && $0.number > 0 }?.slot
    }
}

extension FieldSchema {
    /// The name under which the field is written in the text format.
    ///
    /// A delimited field looks like a group where its name is its type's in small letters (editions, "Group-like fields").
    var textName: String {
        guard kind == .group, let type = child?.name.split(separator: ".").last, type.lowercased() == name else {
            return name
        }
        return String(type)
    }
}
