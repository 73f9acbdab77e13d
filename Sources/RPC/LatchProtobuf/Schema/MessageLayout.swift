// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The parsed schema of a message, which builds its memory layout.
final class MessageLayout: Sendable {
    let name: String
    let fields: [FieldSchema]
    let extensionRanges: [ClosedRange<UInt32>]
    /// The reserved names, which the text format ignores.
    let reservedNames: Set<String>
    /// Whether the message is encoded as a message set.
    let isMessageSet: Bool
    private let hasRequired: Bool
    /// The slots by their .proto field name.
    let byName: [String: Int]
    private let types: [any SchemaType.Type]
    private let namesInJSON = Atomic<UInt>(0)
    private let building = Mutex<Void>(())
    /// Whether the message or a nested one may have required fields: 0 unknown, 1 no, 2 yes.
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
        hasRequired = usable.contains(where: \.isRequired)
        byName = Dictionary(usable.map { ($0.name, $0.slot) }, uniquingKeysWith: { first, _ in first })
    }

    /// The JSON names of the fields, created on first use and never freed.
    var jsonNames: UnsafePointer<JSONNames> {
        UnsafePointer(bitPattern: namesInJSON.load(ordering: .acquiring)) ?? makeJSONNames()
    }

    @inline(never)
    private func makeJSONNames() -> UnsafePointer<JSONNames> {
        building.withLock { _ in
            guard namesInJSON.load(ordering: .acquiring) == 0 else { return }
            namesInJSON.store(UInt(bitPattern: UnsafePointer.keeping(JSONNames(self))), ordering: .releasing)
        }
        return jsonNames
    }

    /// Whether this message or a nested one may have required fields; if not, no check is needed.
    func mayRequire() -> Bool {
        let known = requires.load(ordering: .relaxed)
        if known != 0 { return known == 2 }
        var seen: Set<ObjectIdentifier> = []
        var left = [self]
        var found = false
        while !found, let layout = left.popLast() {
            guard seen.insert(ObjectIdentifier(layout)).inserted else { continue }
            // An extension may be a message of any type.
            found = layout.hasRequired || !layout.extensionRanges.isEmpty
            left += layout.fields.compactMap(\.child?.layout)
        }
        requires.store(found ? 2 : 1, ordering: .relaxed)
        return found
    }

    /// Builds the memory layout, which keeps this object alive for the rest of the process.
    func makeTable() -> UnsafePointer<LayoutTable> {
        var placement = LayoutBuilder(fields)
        let entries = fields.map { placement.entry(for: $0) }
        let known = entries.filter { $0.cell != .none }
        let ordered = known.sorted { $0.tag < $1.tag }
        let table = LayoutTable(
            entries: .keeping(entries), ordered: .keeping(ordered),
            references: .keeping(known.filter(\.cell.isReference)), dense: .keeping(Self.dense(ordered)),
            children: .keeping(types.map(NestedType.init)),
            maps: .keeping(placement.maps.map { Unmanaged.passRetained($0) }),
            template: placement.template(entries, fields), size: placement.size, oneofs: placement.oneofs,
            oneofCount: placement.oneofCount, layout: Unmanaged.passRetained(self).takeUnretainedValue())
        let memory = UnsafePointer.keeping(table)
        table.template.storeBytes(of: UInt(bitPattern: memory), as: UInt.self)
        return memory
    }

    private static func dense(_ ordered: [FieldEntry]) -> [UInt16] {
        // The lookup table ends before it would become sparse.
        let limit = UInt32(64 + 8 * ordered.count)
        let last = ordered.last { $0.number < limit }?.number
        guard let last else { return [] }
        var dense = [UInt16](repeating: 0, count: Int(last) + 1)
        for entry in ordered where entry.number <= last { dense[Int(entry.number)] = entry.slot + 1 }
        return dense
    }
}

extension UnsafePointer {
    /// Returns the address of a value in memory that is never freed.
    fileprivate static func keeping(_ value: Pointee) -> UnsafePointer {
        let memory = UnsafeMutablePointer<Pointee>.allocate(capacity: 1)
        memory.initialize(to: value)
        return UnsafePointer(memory)
    }
}

extension UnsafeBufferPointer {
    /// Returns elements in memory that is never freed.
    static func keeping(_ elements: some Collection<Element>) -> UnsafeBufferPointer {
        let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = memory.initialize(from: elements)
        return UnsafeBufferPointer(memory)
    }
}

extension NestedType {
    fileprivate init(_ type: any SchemaType.Type) {
        let message = type as? any Message.Type
        self.init(
            identity: ObjectIdentifier(type), message: message.map { .passRetained($0.schema) },
            enumeration: (type as? any ProtoEnum.Type).map { .passRetained($0.schema) },
            isItsStorage: message.map { MessageStorage.isLayout(of: $0) } ?? false)
    }
}
