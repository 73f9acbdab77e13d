// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Reads one JSON text strictly.
    ///
    /// - Throws: ``JSONError`` with the byte at which the text was refused, and never with its content.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        var parser = JSONParser(bytes, limits: limits)
        self = try parser.parse()
    }

    /// Reads one JSON text strictly, from any bytes.
    ///
    /// - Throws: ``JSONError`` with the byte at which the text was refused, and never with its content.
    public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// Reads one JSON text strictly, from a string.
    ///
    /// - Throws: ``JSONError`` with the byte at which the text was refused, and never with its content.
    public init(parsing text: some StringProtocol, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    /// The value as compact JSON in UTF-8.
    ///
    /// Members keep their order, numbers are written as short as they can be read back, `/` is not escaped, and a
    /// number that is not finite becomes `null`, which is all that JSON has for it.
    public func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
