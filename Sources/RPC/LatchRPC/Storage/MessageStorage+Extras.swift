// SPDX-License-Identifier: Apache-2.0

extension MessageStorage {
    var extras: MessageExtras? { object.memory.extrasPlace.pointee }

    /// The extras, made or copied so that they are this storage's own.
    mutating func ownExtras() -> MessageExtras {
        let place = own().extrasPlace
        if isKnownUniquelyReferenced(&place.pointee), let extras = place.pointee { return extras }
        let extras = place.pointee?.copy() ?? MessageExtras()
        place.pointee = extras
        return extras
    }

    /// Fields that came in and are not in the schema.
    var unknownFields: UnknownFields {
        get { extras?.unknown ?? UnknownFields() }
        set { if extras != nil || !newValue.isEmpty { ownExtras().unknown = newValue } }
    }

    /// The name of the first required field that is missing, with the way to it.
    func firstMissing() -> String? {
        let table = object.table.pointee
        for entry in table.ordered {
            let field = table.layout.fields[Int(entry.slot)]
            if field.isRequired, !object.memory.holds(entry, table) { return field.name }
            guard field.child != nil else { continue }
            if let (key, rest) = firstMissing(field) { return "\(field.name)\(key).\(rest)" }
        }
        for (_, storage) in extras?.extensions.sorted(by: { $0.key < $1.key }) ?? [] {
            if let missing = storage.firstMissing() { return missing }
        }
        return nil
    }

    private func firstMissing(_ field: FieldSchema) -> (String, String)? {
        switch field.cardinality {
        case .singular:
            return child(field.slot)?.firstMissing().map { ("", $0) }
        case .repeated:
            for (index, child) in children(field.slot).enumerated() {
                if let missing = child.firstMissing() { return ("[\(index)]", missing) }
            }
        case .map:
            var found: (String, String)?
            forEachEntry(field.slot, sorted: true) { _, value in
                guard found == nil, case .message(let child) = value else { return }
                found = child.firstMissing().map { ("[…]", $0) }
            }
            return found
        }
        return nil
    }
}
