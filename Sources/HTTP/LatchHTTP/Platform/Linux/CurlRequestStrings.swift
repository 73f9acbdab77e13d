// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchCurl
import CLatchCurlShim

/// The C strings of one request in one block of memory, which is reused for the next request.
///
/// libcurl does not copy the list of fields, so it stays valid until the next `write`. The block is zeroed before it is
/// freed, since it has held credentials.
struct CurlRequestStrings: ~Copyable {
    /// The strings in sequence, each with its NUL.
    private var block = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The nodes of libcurl's linked list of field lines, which point into `block`.
    private var nodes = UnsafeMutableBufferPointer<curl_slist>(start: nil, count: 0)
    private var used = 0
    private var nodeCount = 0

    /// The URL, which libcurl parses; its components were validated, so libcurl finds the same ones.
    private(set) var url: UnsafePointer<CChar>?
    private(set) var method: UnsafePointer<CChar>?

    /// The content codings that can be decoded.
    private static let acceptEncoding: String = {
        let names = ContentCoding.allCases.filter(\.isAvailable).map(\.name)
        return "Accept-Encoding: " + (names.isEmpty ? "identity" : names.joined(separator: ", "))
    }()

    /// The first node of the list, or nil for an empty list.
    var fields: UnsafeMutablePointer<curl_slist>? { nodeCount == 0 ? nil : nodes.baseAddress }

    deinit {
        block.initializeMemory(as: UInt8.self, repeating: 0)
        block.deallocate()
        nodes.deallocate()
    }

    /// Writes the URL, the method and the field lines of a validated request.
    ///
    /// - Returns: Whether the response's content is decoded.
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
        let own = writeFields(of: request)
        if hasContent {
            // libcurl would declare any content to be a form.
            if !own.contentType { putNode("Content-Type:") }
            // RFC 9110 §10.1.1: libcurl waits for a 100 response before it sends large content. This is right for a
            // stream that can be read once: a 401 does not consume it. Content in memory would only be delayed by a
            // second at servers without support for 100. HTTP/2 does not need it, and gRPC servers do not support it.
            if request.body.stream == nil || request.assumesHTTP2 || request.omitsExpectation { putNode("Expect:") }
        }
        // RFC 9110 §14.2: a range of encoded content cannot be decoded. A caller that sets Accept-Encoding decodes the
        // content itself.
        let decodes = !own.acceptEncoding && !own.range
        if decodes { putNode(Self.acceptEncoding) }
        return decodes
    }

    /// The fields of a request that replace or suppress libcurl's own.
    private struct OwnFields {
        var contentType = false
        var acceptEncoding = false
        var range = false

        /// Compares the length of the name first, since it runs for each line of each request.
        mutating func note(_ name: HTTPFieldName) {
            switch name.rawName.utf8.count {
            case 5 where name == .range: range = true
            case 12 where name == .contentType: contentType = true
            case 15 where name == .acceptEncoding: acceptEncoding = true
            default: break
            }
        }
    }

    /// Writes the request's fields except those that libcurl writes: duplicates of these would enable request
    /// smuggling.
    private mutating func writeFields(of request: HTTPRequest) -> OwnFields {
        var own = OwnFields()
        for line in request.fields where !line.name.isSetByTransport {
            own.note(line.name)
            beginNode()
            put(line.name.rawName)
            // "Name:" makes libcurl omit the field; "Name;" sends it with an empty value.
            if line.value.utf8.allSatisfy(isBlank) {
                put(";")
            } else {
                put(": ")
                put(line.value)
            }
            end()
        }
        return own
    }

    /// Allocates the block for the whole request in one allocation: a reallocation would invalidate the pointers into
    /// it.
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

    /// Returns the address of the next string.
    private func beginning() -> UnsafePointer<CChar>? {
        block.baseAddress.map { UnsafePointer(($0 + used).assumingMemoryBound(to: CChar.self)) }
    }

    /// Adds a node whose text is the next string.
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
