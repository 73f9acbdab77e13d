// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

private struct Uploaded: Codable, Equatable, Sendable { let id: Int }

/// A form parsed by an independent implementation.
private func parts(of request: RawHTTPServer.Request) throws -> [(head: String, body: [UInt8])] {
    let type = try #require(request.values(of: "Content-Type").first)
    let boundary = try #require(type.split(separator: "boundary=").last)
    #expect(type.hasPrefix("multipart/form-data; boundary="))
    let data = Data(request.body)
    let opening = Data("--\(boundary)\r\n".utf8)
    let separator = Data("\r\n--\(boundary)".utf8)
    #expect(data.starts(with: opening))
    expectEqual(data.suffix(boundary.utf8.count + 8), separator + Data("--\r\n".utf8))
    var rest = data.dropFirst(opening.count)
    var parts: [(String, [UInt8])] = []
    while let end = rest.range(of: separator) {
        let part = rest[..<end.lowerBound]
        let head = try #require(part.range(of: Data("\r\n\r\n".utf8)))
        parts.append((String(decoding: part[..<head.lowerBound], as: UTF8.self), Array(part[head.upperBound...])))
        rest = rest[end.upperBound...].dropFirst(2)
    }
    return parts
}

@Suite struct MultipartTests {
    private func upload(
        _ body: (NetworkProvider) async throws -> Void
    ) async throws -> [(head: String, body: [UInt8])] {
        let server = try RawHTTPServer { _ in .response(200, body: #"{"id":1}"#) }
        try await body(provider(try #require(URL(string: server.url))))
        return try parts(of: try #require(server.requests.first))
    }

    @Test(.tags(.multipartForms)) func `A multipart form is encoded by RFC 7578`() async throws {
        let bytes: [UInt8] = [0, 13, 10, 45, 45, 255]
        let parts = try await upload { provider in
            let answer: Uploaded = try await provider.upload(
                "/upload", filename: "document.pdf", fileData: Data(bytes), mimeType: "application/pdf",
                additionalFields: ["title": "My Document", "category": "reports"])
            expectEqual(answer, Uploaded(id: 1))
        }
        expectEqual(
            parts.map(\.head),
            [
                "Content-Disposition: form-data; name=\"category\"\r\nContent-Type: text/plain; charset=utf-8",
                "Content-Disposition: form-data; name=\"title\"\r\nContent-Type: text/plain; charset=utf-8",
                "Content-Disposition: form-data; name=\"file\"; filename=\"document.pdf\"\r\nContent-Type: application/pdf",
            ])
        expectEqual(parts.map(\.body), [Array("reports".utf8), Array("My Document".utf8), bytes])
    }

    @Test(.tags(.multipartForms), arguments: FormDataPart.ImageType.allCases)
    func `A multipart form sends an image of each kind`(type: FormDataPart.ImageType) async throws {
        let parts = try await upload { provider in
            let _: Uploaded = try await provider.uploadImage(
                "/avatar", filename: "a", imageData: Data([1, 2]), imageType: type)
        }
        expectEqual(
            parts.map(\.head),
            [
                "Content-Disposition: form-data; name=\"image\"; filename=\"a\"\r\nContent-Type: \(type.mimeType)"
            ])
    }

    @Test(.tags(.multipartForms)) func `A multipart form escapes names that would end a header line`() async throws {
        let evil = "a\"; filename=\"x\"\r\nX-Evil: yes\r\n\r\nbody"
        let parts = try await upload { provider in
            let route = MultipartRoute<Uploaded, DefaultDomain>(
                endpoint: "u", domain: .default,
                parts: [
                    FormDataPart(name: evil, value: "v"),
                    FormDataPart(name: "f", filename: evil, data: Data("w".utf8), mimeType: "text/plain"),
                ])
            _ = try await provider.perform(route)
        }
        expectEqual(parts.count, 2)
        #expect(parts.allSatisfy { $0.head.split(separator: "\r\n").count == 2 })
        expectEqual(parts.map(\.body), [Array("v".utf8), Array("w".utf8)])
    }

    @Test(.tags(.multipartForms)) func `A multipart form rejects a media type that would end its line`() async throws {
        let server = try RawHTTPServer { _ in .response(200, body: "{}") }
        let provider = provider(try #require(URL(string: server.url)))
        let error = await failure { () -> Uploaded in
            try await provider.upload("u", filename: "f", fileData: Data(), mimeType: "text/plain\r\nX-Evil: yes")
        }
        expectEqual(error, .bodyEncodingFailed)
        #expect(server.requests.isEmpty)
    }

    @Test(.tags(.multipartForms)) func `A multipart form is built step by step, as in Nevod's guide`() throws {
        var builder = MultipartFormDataBuilder()
        builder.addTextField(name: "title", value: "Photo Album")
        builder.addImage(name: "photos", filename: "1.jpg", data: Data([1]), type: .jpeg)
        builder.addFile(name: "metadata", filename: "i.json", data: Data("{}".utf8), mimeType: "application/json")
        let (data, type) = try builder.build()
        let boundary = try #require(type.split(separator: "boundary=").last)
        #expect(data.range(of: Data("--\(boundary)--\r\n".utf8)) != nil)
        let route = MultipartRoute<Uploaded, DefaultDomain>(endpoint: "a", domain: .default, formData: builder)
        try expectEqual(route.bodyData(using: JSONEncoder())?.count, data.count)
    }

    @Test(.tags(.multipartForms)) func `A multipart form streams a file, and again for each attempt`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/big.bin"
            let size = 8 << 20
            try Data(repeating: 7, count: size).write(to: URL(fileURLWithPath: path))
            let script = Mutex([401, 200])
            let server = try RawHTTPServer { _ in
                .response(script.withLock { $0.isEmpty ? 200 : $0.removeFirst() }, body: #"{"id":1}"#)
            }
            let storage = TokenStorage<Token>(storage: InMemoryStorage())
            let auth = AuthenticationInterceptor(tokenStorage: storage, refreshStrategy: { _ in Token(value: "t") })
            let route = MultipartRoute<Uploaded, DefaultDomain>(
                endpoint: "u", domain: .default,
                parts: [try FormDataPart(name: "file", fileURL: URL(fileURLWithPath: path))])
            _ = try await provider(try #require(URL(string: server.url)), interceptor: auth).perform(route)
            expectEqual(server.requests.count, 2)
            for request in server.requests {
                let part = try #require(try parts(of: request).first)
                #expect(part.head.contains("filename=\"big.bin\""))
                expectEqual(part.body.count, size)
            }
            #expect(throws: NetworkError.bodyEncodingFailed) { try route.bodyData(using: JSONEncoder()) }
        }
    }

    @Test(.tags(.multipartForms)) func `A multipart form of a missing file is rejected`() {
        #expect(throws: NetworkError.bodyEncodingFailed) {
            try FormDataPart(name: "f", fileURL: URL(fileURLWithPath: "/nowhere/at/all"))
        }
    }
}
