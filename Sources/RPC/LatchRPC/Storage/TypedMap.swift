// SPDX-License-Identifier: Apache-2.0

/// A type of a map's keys as it lies in memory.
protocol StoredKey: StoredValue {
    /// The key of an entry that says none.
    static var none: Self { get }
    /// Whether a key comes before another where entries are sorted.
    func isBefore(_ other: Self) -> Bool
}

extension StoredKey where Self: Comparable {
    func isBefore(_ other: Self) -> Bool { self < other }
}

extension StoredKey where Self: FixedWidthInteger {
    static var none: Self { 0 }
}

extension Int32: StoredKey {}
extension Int64: StoredKey {}
extension UInt32: StoredKey {}
extension UInt64: StoredKey {}

extension Bool: StoredKey {
    static var none: Bool { false }
    func isBefore(_ other: Bool) -> Bool { !self && other }
}

extension String: StoredKey {
    static var none: String { "" }
    /// By bytes, as every other implementation of protobuf sorts.
    func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

/// The operations of maps from `Key` to `Value`.
final class TypedMap<Key: StoredKey, Value: StoredValue>: MapOperations, @unchecked Sendable {
    typealias Map = [Key: Value]

    @inline(__always)
    func map(_ place: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Map?> { place.at(Map?.self) }

    override func retain(_ place: UnsafeMutableRawPointer) {
        map(place).initialize(to: map(place).pointee)
    }

    override func release(_ place: UnsafeMutableRawPointer) { _ = map(place).move() }

    override func isEmpty(_ place: UnsafeMutableRawPointer) -> Bool { map(place).pointee?.isEmpty ?? true }

    override func count(_ place: UnsafeMutableRawPointer) -> Int { map(place).pointee?.count ?? 0 }

    override func isEqual(_ place: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool {
        map(place).pointee ?? [:] == map(other).pointee ?? [:]
    }

    override func hash(_ place: UnsafeMutableRawPointer, into hasher: inout Hasher) {
        hasher.combine(map(place).pointee ?? [:])
    }

    override func write(_ place: UnsafeMutableRawPointer, _ tag: UInt32, to writer: inout BinaryWriter) {
        writeEntries(place, tag, to: &writer)
    }

    override func read(
        _ place: UnsafeMutableRawPointer, _ decoder: inout BinaryDecoder, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer
    ) throws(DecodingFailure) {
        try readEntry(place, &decoder, start, memory)
    }

    override func entries(_ place: UnsafeMutableRawPointer, sorted: Bool) -> [(FieldContent, FieldContent)] {
        guard let map = map(place).pointee else { return [] }
        guard sorted else { return map.map { ($0.key.content, $0.value.content) } }
        return map.sorted { $0.key.isBefore($1.key) }.map { ($0.key.content, $0.value.content) }
    }

    override func set(_ place: UnsafeMutableRawPointer, _ key: FieldContent, _ value: FieldContent) -> Bool {
        guard let key = Key(key), let value = Value(value), value.fits(self) else { return false }
        return update(place) { $0.updateValue(value, forKey: key) == nil }
    }

    /// Changes the map where it is, so that it is not copied.
    @inline(__always)
    func update<Result>(_ place: UnsafeMutableRawPointer, _ body: (inout Map) -> Result) -> Result {
        var values = map(place).pointee.take() ?? [:]
        let result = body(&values)
        map(place).pointee = values
        return result
    }
}
