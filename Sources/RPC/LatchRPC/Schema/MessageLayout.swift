// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Names and ranges of a message's fields, and the making of its layout.
final class MessageLayout: Sendable {
    let name: String
    let fields: [FieldSchema]
    let extensionRanges: [ClosedRange<UInt32>]
    /// Names that no field may have again; the text format skips them.
    let reservedNames: Set<String>
    /// Whether its extensions are written as items of a message set.
    let isMessageSet: Bool
    let required: [Int]
    /// Slots by the name in the .proto file.
    let byName: [String: Int]
    /// Slots by the name in JSON.
    let byJSONName: [String: Int]
    private let types: [any SchemaType.Type]
    private let namesInJSON = Atomic<UInt>(0)
    private let building = Mutex<Void>(())
    /// Whether a required field may be missing somewhere inside: 0 unknown, 1 no, 2 yes.
    private let requires = Atomic<UInt8>(0)

    init(_ schema: MessageSchema) {
        let parser = SchemaParser(schema.text, types: schema.types)
        name = schema.name
        types = schema.types
        fields = parser.fields
        extensionRanges = parser.extensionRanges
        reservedNames = parser.reservedNames
        isMessageSet = parser.isMessageSet
        let usable = fields.filter { $0.number > 0 }
        required = usable.filter(\.isRequired).map(\.slot)
        byName = Dictionary(usable.map { ($0.name, $0.slot) }, uniquingKeysWith: { first, _ in first })
        byJSONName = Dictionary(usable.map { ($0.jsonName, $0.slot) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of the fields in JSON; made once, when they are first needed, and never freed.
    var jsonNames: UnsafePointer<JSONNames> {
        UnsafePointer(bitPattern: namesInJSON.load(ordering: .acquiring)) ?? makeJSONNames()
    }

    @inline(never)
    private func makeJSONNames() -> UnsafePointer<JSONNames> {
        building.withLock { _ in
            guard namesInJSON.load(ordering: .acquiring) == 0 else { return }
            let memory = UnsafeMutablePointer<JSONNames>.allocate(capacity: 1)
            memory.initialize(to: JSONNames(self))
            namesInJSON.store(UInt(bitPattern: memory), ordering: .releasing)
        }
        return jsonNames
    }

    /// The field of a number.
    func field(number: UInt32) -> FieldSchema? { fields.first { $0.number == number } }

    /// The names of the fields of a oneof, by its number in the message.
    func oneof(_ index: Int) -> [FieldSchema] { fields.filter { $0.oneof == index } }

    /// Whether this message, or one that may lie inside of it, has a required field; else nobody need look for one.
    func mayRequire() -> Bool {
        let known = requires.load(ordering: .relaxed)
        if known != 0 { return known == 2 }
        var seen: Set<ObjectIdentifier> = []
        var left = [self]
        var found = false
        while !found, let layout = left.popLast() {
            guard seen.insert(ObjectIdentifier(layout)).inserted else { continue }
            // An extension may be a message of any type.
            found = !layout.required.isEmpty || !layout.extensionRanges.isEmpty
            left += layout.fields.compactMap(\.child?.layout)
        }
        requires.store(found ? 2 : 1, ordering: .relaxed)
        return found
    }

    /// Places the fields, and keeps itself alive for as long as the program runs.
    func makeTable() -> UnsafePointer<LayoutTable> {
        var placement = Placement(fields)
        let entries = fields.map { placement.entry(for: $0) }
        let known = entries.filter { $0.cell != .none }
        let ordered = known.sorted { $0.tag < $1.tag }
        let table = LayoutTable(
            entries: Self.keep(entries), ordered: Self.keep(ordered),
            references: Self.keep(known.filter(\.cell.isReference)), dense: Self.keep(Self.dense(ordered)),
            children: Self.keep(types.map(ChildType.init)),
            maps: Self.keep(placement.maps.map { Unmanaged.passRetained($0) }),
            template: placement.template(entries, fields), size: placement.size, oneofs: placement.oneofs,
            oneofCount: placement.oneofCount, hasRequired: !required.isEmpty,
            layout: Unmanaged.passRetained(self).takeUnretainedValue())
        let memory = UnsafeMutablePointer<LayoutTable>.allocate(capacity: 1)
        memory.initialize(to: table)
        table.template.storeBytes(of: UInt(bitPattern: memory), as: UInt.self)
        return UnsafePointer(memory)
    }

    private static func dense(_ ordered: [FieldEntry]) -> [UInt16] {
        // As long as most of the table is in use; numbers above it are found by search.
        let limit = UInt32(64 + 8 * ordered.count)
        let last = ordered.last { $0.number < limit }?.number
        guard let last else { return [] }
        var dense = [UInt16](repeating: 0, count: Int(last) + 1)
        for entry in ordered where entry.number <= last { dense[Int(entry.number)] = entry.slot + 1 }
        return dense
    }

    private static func keep<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        return UnsafeBufferPointer(memory)
    }
}

extension ChildType {
    init(_ type: any SchemaType.Type) {
        identity = ObjectIdentifier(type)
        switch type.shape {
        case .message(let schema): message = .passRetained(schema)
        case .enumeration(let schema): enumeration = .passRetained(schema)
        }
        isItsStorage = false
        if let type = type as? any Message.Type { isItsStorage = MessageStorage.isLayout(of: type) }
    }
}
