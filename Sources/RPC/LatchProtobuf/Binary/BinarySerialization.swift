// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Creates a message from its binary encoding.
    ///
    /// Unknown fields and unknown values of closed enums are kept and encoded again.
    public init(
        serialized bytes: [UInt8], limits: DecodingLimits = .standard, extensions: ExtensionSet = []
    ) throws(ProtoError) {
        var budget = limits.allocatedBytes
        try self.init(serialized: bytes, limits: limits, extensions: extensions, budget: &budget)
    }

    /// Creates a message from its binary encoding, and reduces a memory budget by its memory.
    package init(
        serialized bytes: [UInt8], limits: DecodingLimits = .standard, extensions: ExtensionSet = [],
        budget: inout Int
    ) throws(ProtoError) {
        var storage = MessageStorage(Self.schema)
        try storage.merge(bytes, limits, extensions, budget: &budget)
        try storage.checkRequired()
        self.init(storage: storage)
    }

    /// Merges the binary encoding of a message into this one.
    ///
    /// Singular fields are replaced, lists are extended, and nested messages are merged. After an error the message is
    /// unchanged.
    public mutating func merge(
        serialized bytes: [UInt8], limits: DecodingLimits = .standard, extensions: ExtensionSet = []
    ) throws(ProtoError) {
        var merged = storage
        try merged.merge(bytes, limits, extensions)
        try merged.checkRequired()
        storage = merged
    }

    /// Returns the binary encoding.
    ///
    /// With `deterministic`, map entries are sorted, so that equal messages have equal bytes within one build.
    public func serialized(deterministic: Bool = false) throws(ProtoError) -> [UInt8] {
        try storage.checkRequired()
        return storage.serialized(deterministic: deterministic)
    }
}

extension MessageStorage {
    /// Returns the binary encoding without a check of required fields.
    func serialized(deterministic: Bool = false) -> [UInt8] {
        // Most messages fit into this memory, so that the result is the only allocation.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2048) { memory in
            var writer = BinaryEncoder(memory, deterministic: deterministic)
            writer.message(object.memory)
            let bytes = [UInt8](writer.bytes)
            writer.free()
            return bytes
        }
    }

    /// Merges an encoding without a check of required fields.
    mutating func merge(
        _ bytes: [UInt8], _ limits: DecodingLimits = .standard, _ extensions: ExtensionSet = []
    ) throws(ProtoError) {
        var budget = limits.allocatedBytes
        try merge(bytes, limits, extensions, budget: &budget)
    }

    /// Merges an encoding within a memory budget.
    fileprivate mutating func merge(
        _ bytes: [UInt8], _ limits: DecodingLimits, _ extensions: ExtensionSet, budget: inout Int
    ) throws(ProtoError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        let memory = own()
        let failure: ProtoError? = bytes.withUnsafeBufferPointer { buffer -> ProtoError? in
            var decoder = BinaryDecoder(buffer, depth: limits.depth, budget: budget, extensions: extensions)
            defer { budget = decoder.budget }
            do throws(DecodingFailure) {
                try decoder.message(memory)
                return nil
            } catch {
                let path = ([memory.table.pointee.layout.name] + decoder.trail.reversed()).joined(separator: ".")
                return error.error(at: path)
            }
        }
        withExtendedLifetime(object) {}
        if let failure { throw failure }
    }

    /// Throws an error if a required field is missing.
    func checkRequired() throws(ProtoError) {
        guard layout.mayRequire(), let missing = firstMissing() else { return }
        throw .missingField(missing, in: layout.name)
    }
}

/// The limits of decoding a message.
public struct DecodingLimits: Sendable, Hashable {
    /// The largest nesting depth of messages.
    public var depth: Int
    /// The largest message in bytes; protobuf's own limit is 2 GiB.
    public var bytes: Int
    /// The approximate maximum memory of a message in bytes, because a few bytes of input can become an object
    /// of a hundred bytes.
    public var allocatedBytes: Int

    /// Creates limits.
    public init(depth: Int = 100, bytes: Int = 0x7FFF_FFFF, allocatedBytes: Int = .max) {
        self.depth = depth
        self.bytes = bytes
        self.allocatedBytes = allocatedBytes
    }

    /// The default limits: a depth of 100 as in protobuf's other implementations, 2 GiB, and unlimited memory.
    public static let standard = DecodingLimits()
}
