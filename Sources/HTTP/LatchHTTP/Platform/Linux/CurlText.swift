// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CCurl
import CCurlShim

/// The C strings of one request, laid out in one block of memory that is used again for the next request.
///
/// libcurl reads the list of fields where it lies, so it stays valid until the next `write`. The block is overwritten
/// with zeros when it is let go, since it has held credentials.
struct CurlText: ~Copyable {
    /// All strings, one after the other, each with its NUL.
    private var block = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// libcurl's linked list of field lines, whose nodes lie in a row and point into `block`.
    private var nodes = UnsafeMutableBufferPointer<curl_slist>(start: nil, count: 0)
    private var used = 0
    private var nodeCount = 0

    /// The URL, for libcurl to parse; its parts were checked, so that it finds the same ones.
    private(set) var url: UnsafePointer<CChar>?
    /// The method as it goes on the wire.
    private(set) var method: UnsafePointer<CChar>?

    /// What libcurl can take off the content of an answer.
    private static let acceptEncoding = "Accept-Encoding: " + String(cString: latch_curl_codings())

    /// The first node of the list, or nil for no list.
    var fields: UnsafeMutablePointer<curl_slist>? { nodeCount == 0 ? nil : nodes.baseAddress }

    deinit {
        block.initializeMemory(as: UInt8.self, repeating: 0)
        block.deallocate()
        nodes.deallocate()
    }

    /// Lays out the URL, the method and the field lines of a request that has been validated.
    ///
    /// - Returns: Whether libcurl is to take codings off the content of the answer.
    mutating func write(_ request: HTTPRequest, hasContent: Bool) -> Bool {
        makeRoom(for: request)
        url = beginning()
        put(request.scheme)
        put("://")
        put(request.authority)
        put(request.path)
        end()
        method = beginning()
        put(request.method.rawValue)
        end()
        let said = writeFields(of: request)
        if hasContent {
            // libcurl would otherwise call any content a form.
            if !said.contains(.contentType) { putNode("Content-Type:") }
            // RFC 9110 §10.1.1: libcurl asks for leave to send what is large. For a stream that is right, since one that
            // can be read once is then still whole after a 401; for what is in memory it would be a second of waiting
            // for servers that do not know of it.
            // HTTP/2 has other means, and a server of gRPC waits for none.
            if request.body.stream == nil || request.assumesHTTP2 { putNode("Expect:") }
        }
        // RFC 9110 §14.2: a part of what is coded is no coded part; and who asks for codings decodes by himself.
        let decodes = said.isDisjoint(with: [.acceptEncoding, .range])
        // Said here, libcurl does not say it again, and need not make a text of it for each request.
        if decodes {
            putNode(Self.acceptEncoding)
        } else if !said.contains(.acceptEncoding) {
            putNode("Accept-Encoding:")
        }
        return decodes
    }

    /// The fields of a request by which it is told what libcurl has to add or to leave out.
    private struct Said: OptionSet {
        let rawValue: UInt8
        static let contentType = Said(rawValue: 1)
        static let acceptEncoding = Said(rawValue: 2)
        static let range = Said(rawValue: 4)

        /// By the length of a name first: this runs for each line of each request.
        init(_ name: HTTPFieldName) {
            switch name.canonicalName.utf8.count {
            case 5: self = name == .range ? .range : []
            case 12: self = name == .contentType ? .contentType : []
            case 15: self = name == .acceptEncoding ? .acceptEncoding : []
            default: self = []
            }
        }

        init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    /// The request's own fields, but for those that libcurl writes: two of one of those would be smuggling.
    private mutating func writeFields(of request: HTTPRequest) -> Said {
        var said: Said = []
        for line in request.fields where !line.name.isSetByTransport {
            said.formUnion(Said(line.name))
            beginNode()
            put(line.name.rawName)
            // "Name:" would tell libcurl to leave the field out, "Name;" sends it empty, if nothing at all follows.
            if line.value.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                put(";")
            } else {
                put(": ")
                put(line.value)
            }
            end()
        }
        return said
    }

    /// Makes the block large enough for the whole request at once: a block that moved would break the pointers into it.
    private mutating func makeRoom(for request: HTTPRequest) {
        used = 0
        nodeCount = 0
        var size = request.scheme.utf8.count + request.authority.utf8.count + request.path.utf8.count
        size += request.method.rawValue.utf8.count + 192
        for line in request.fields { size += line.name.rawName.utf8.count + line.value.utf8.count + 3 }
        if block.count < size {
            block.initializeMemory(as: UInt8.self, repeating: 0)
            block.deallocate()
            block = .allocate(byteCount: max(size, 1024), alignment: 8)
        }
        if nodes.count < request.fields.count + 3 {
            nodes.deallocate()
            nodes = .allocate(capacity: max(request.fields.count + 3, 16))
        }
    }

    /// Where the next string will begin.
    private func beginning() -> UnsafePointer<CChar>? {
        block.baseAddress.map { UnsafePointer(($0 + used).assumingMemoryBound(to: CChar.self)) }
    }

    /// Adds a node whose text is what `put` writes next.
    private mutating func beginNode() {
        let text = UnsafeMutablePointer(mutating: beginning())
        nodes.initializeElement(at: nodeCount, to: curl_slist(data: text, next: nil))
        if nodeCount > 0 { nodes[nodeCount - 1].next = nodes.baseAddress.map { $0 + nodeCount } }
        nodeCount += 1
    }

    private mutating func putNode(_ text: String) {
        beginNode()
        put(text)
        end()
    }

    private mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let source = bytes.baseAddress else { return }
            block.baseAddress?.advanced(by: used).copyMemory(from: source, byteCount: bytes.count)
            used += bytes.count
        }
    }

    private mutating func end() {
        block[used] = 0
        used += 1
    }
}
#endif
