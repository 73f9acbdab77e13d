// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Reads a message of its bytes.
    ///
    /// Fields that the schema does not name are kept, and written again; so is a number that a closed enum does not have.
    public init(
        serialized bytes: [UInt8], limits: DecodingLimits = .standard, extensions: ExtensionSet = []
    ) throws(ProtoError) {
        var storage = MessageStorage(Self.schema)
        try storage.merge(bytes, limits, extensions)
        try storage.checkRequired()
        self.init(storage: storage)
    }

    /// Reads bytes into this message: what they set replaces what was there, lists grow, messages inside are merged.
    ///
    /// Where an error is thrown the message is as it was.
    public mutating func merge(
        serialized bytes: [UInt8], limits: DecodingLimits = .standard, extensions: ExtensionSet = []
    ) throws(ProtoError) {
        var merged = storage
        try merged.merge(bytes, limits, extensions)
        try merged.checkRequired()
        storage = merged
    }

    /// The message as bytes; with `deterministic` equal messages of one build have equal bytes, since maps are sorted.
    public func serialized(deterministic: Bool = false) throws(ProtoError) -> [UInt8] {
        try storage.checkRequired()
        return storage.serialized(deterministic: deterministic)
    }
}

extension MessageStorage {
    /// The message as bytes, whatever is missing.
    func serialized(deterministic: Bool = false) -> [UInt8] {
        // Most messages fit, so that the answer is the only memory that is asked for.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2048) { memory in
            var writer = BinaryWriter(memory, deterministic: deterministic)
            writer.message(object.memory)
            let bytes = [UInt8](writer.bytes)
            writer.free()
            return bytes
        }
    }

    /// Reads bytes into this message, whatever is missing then.
    mutating func merge(
        _ bytes: [UInt8], _ limits: DecodingLimits = .standard, _ extensions: ExtensionSet = []
    ) throws(ProtoError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        let memory = own()
        let failure: ProtoError? = bytes.withUnsafeBufferPointer { buffer -> ProtoError? in
            var decoder = BinaryDecoder(buffer, depth: limits.depth, extensions: extensions)
            do throws(DecodingFailure) {
                try decoder.message(memory)
                return nil
            } catch {
                let place = ([memory.table.pointee.layout.name] + decoder.trail.reversed()).joined(separator: ".")
                return error.error(at: place)
            }
        }
        withExtendedLifetime(object) {}
        if let failure { throw failure }
    }

    /// Refuses a message in which a required field is missing.
    func checkRequired() throws(ProtoError) {
        guard layout.mayRequire(), let missing = firstMissing() else { return }
        throw .missingField(missing, in: layout.name)
    }
}
