// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore
import LatchHTTP
import LatchRPC
import Synchronization

/// The client under test: makes the calls that the runner describes, with `RPCChannel` over `CurlTransport`.
public final class ConformanceClient: Sendable {
    /// The settings of a connection.
    private struct Identity: Hashable {
        let authority: Data
        let certificate: Data
        let key: Data
    }

    private let transports = Mutex<[Identity: any Handler]>([:])
    private let folder: URL

    /// A client that keeps the authorities it is given in a folder.
    public init(folder: URL) { self.folder = folder }

    /// Makes one call, and returns its result.
    public func answer(_ request: ClientCompatRequest) async -> ClientCompatResponse {
        var answer = ClientCompatResponse(testName: request.testName)
        do {
            answer.result = .response(try await CallUnderTest(request, try channel(for: request)).result())
        } catch {
            answer.result = .error(ClientErrorResult(message: String(describing: error)))
        }
        return answer
    }

    func channel(for request: ClientCompatRequest) throws -> RPCChannel {
        guard request.rawRequest == nil else { throw UnusableRequest(reason: "raw requests are the reference's") }
        guard let style = Self.styles[request.protocol] else { throw UnusableRequest(reason: "no such protocol") }
        let compressions = try compressions(of: request)
        let limit = Int(request.messageReceiveLimit)
        return try RPCChannel(
            "\(request.serverTlsCert.isEmpty ? "http" : "https")://\(request.host):\(request.port)",
            through: try transport(for: request), using: style, codec: request.codec == .json ? .json : .binary,
            compression: compressions.first, limits: limit == 0 ? .standard : RPCLimits(messageBytes: limit),
            accepting: compressions, usesHTTPGet: request.useGetHttpMethod,
            assumingHTTP2: request.httpVersion == .httpVersion2, types: ConformanceTypes.all)
    }

    private static let styles: [Protocol_: RPCProtocol] = [.connect: .connect, .grpc: .grpc, .grpcWeb: .grpcWeb]

    private func compressions(of request: ClientCompatRequest) throws -> [RPCCompression] {
        switch request.compression {
        case .unspecified, .identity: return []
        case .gzip:
            // The reference server wants to see even the smallest message compressed.
            var gzip = RPCCompression.gzip
            gzip.minimumMessageBytes = 0
            return [gzip]
        default: throw UnusableRequest(reason: "only gzip is known here")
        }
    }

    private func transport(for request: ClientCompatRequest) throws -> any Handler {
        let credentials = request.clientTlsCreds
        let identity = Identity(
            authority: request.serverTlsCert, certificate: credentials?.cert ?? Data(), key: credentials?.key ?? Data())
        return try transports.withLock { transports in
            if let transport = transports[identity] { return transport }
            let transport = try Self.transport(identity.authority, credentials, host: request.host, in: folder)
            transports[identity] = transport
            return transport
        }
    }

    private static func transport(
        _ authority: Data, _ credentials: TLSCreds?, host: String, in folder: URL
    ) throws -> any Handler {
        var configuration = CurlTransport.Configuration()
        if !authority.isEmpty {
            let file = folder.appending(path: "\(UUID().uuidString).pem")
            try authority.write(to: file)
            configuration.certificateAuthorityFile = file.path(percentEncoded: false)
        }
        if let credentials {
            configuration.tls.clientCertificates = [
                try ClientCertificate(pem: Array(credentials.cert), key: Array(credentials.key), for: host)
            ]
        }
        return CurlTransport(configuration: configuration)
    }
}

/// The reason why a request of the runner cannot be followed.
struct UnusableRequest: Swift.Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
