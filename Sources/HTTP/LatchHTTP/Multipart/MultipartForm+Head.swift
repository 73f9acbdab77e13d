// SPDX-License-Identifier: Apache-2.0

extension MultipartForm.Part {
    /// The field lines of the part, and the empty line after them.
    ///
    /// RFC 7578 §4.8 allows no other fields than these.
    ///
    /// - Throws: `HTTPError.unencodable` and `HTTPError.invalidField`.
    func head() throws(HTTPError) -> [UInt8] {
        var head = Array("Content-Disposition: form-data; name=\"".utf8)
        try Self.append(name, to: &head)
        if let filename {
            head += Array("\"; filename=\"".utf8)
            try Self.append(filename, to: &head)
        }
        head += Array("\"\r\n".utf8)
        if let mediaType {
            try HTTPFields(dictionaryLiteral: (.contentType, mediaType)).validate()
            head += Array("Content-Type: \(mediaType)\r\n".utf8)
        }
        return head + Array("\r\n".utf8)
    }

    /// A name between quotation marks, as browsers write it.
    ///
    /// HTML §4.10.21.8 escapes the quotation mark and the line breaks in this way, and nothing else: what is left, in
    /// UTF-8 (RFC 7578 §5.1), cannot end the quoted string or the line. The `filename*` of RFC 5987 is not for forms
    /// (RFC 7578 §4.2). A backslash stays what it is, but readers that take it for an escape would read on after one
    /// at the end, so such a name is refused.
    private static func append(_ name: String, to head: inout [UInt8]) throws(HTTPError) {
        guard name.utf8.last != 0x5C else { throw .unencodable("the name of a part ends with a backslash.") }
        for byte in name.utf8 {
            switch byte {
            case 0x00: throw .unencodable("the name of a part holds a NUL.")
            case 0x0A, 0x0D, 0x22: FormEncoding.appendEncoded(byte, to: &head)
            default: head.append(byte)
            }
        }
    }
}
