// SPDX-License-Identifier: Apache-2.0

extension Linker {
    /// Says of names that are declared twice whether a map is behind it, whose message nobody has written.
    func explainMaps() {
        for message in file.messages { explainMaps(in: message) }
    }

    private func explainMaps(in message: MessageDescriptor) {
        var types: [String: MessageDescriptor] = [:]
        for inner in message.messages {
            if let other = types[inner.name] {
                guard other.isMapEntry || inner.isMapEntry else { continue }
                failMap(inner.name, "another message", in: message)
                break
            }
            types[inner.name] = inner
            explainMaps(in: inner)
        }
        let others =
            message.fields.map { ($0.name, "a field") } + message.enums.map { ($0.name, "an enum") }
            + message.oneofs.map { ($0.name, "a oneof") }
        for (name, kind) in others where types[name]?.isMapEntry == true { failMap(name, kind, in: message) }
    }

    private func failMap(_ name: String, _ kind: String, in message: MessageDescriptor) {
        fail("the entries of a map in '\(message.name)' have the name of \(kind), '\(name)'", at: message.place)
    }
}
