// SPDX-License-Identifier: Apache-2.0

public import LatchRPC

/// The server side of gRPC's server reflection (v1 and v1alpha), which describes a server's services and messages.
///
/// ```sh
/// latch descriptors -I Protos shop/v1/shop.proto --include-imports -o shop.binpb
/// ```
/// ```swift
/// let reflection = try ReflectionService(descriptors: Array(Data(contentsOf: file)), services: ["shop.v1.Shop"])
/// let service = RPCService(shop.rpcMethods + reflection.rpcMethods)
/// ```
///
/// Every permitted caller receives the descriptors with their comments and internal services. So restrict the
/// descriptors, or add an interceptor. The calls are bidirectional streams: over HTTP/1.1, or behind a proxy that uses
/// it, a client must end its requests before it receives the responses. Over HTTP/2 each response comes immediately.
public struct ReflectionService: Sendable {
    private let index: DescriptorIndex
    private let services: [String]

    /// Creates the service from a serialized `FileDescriptorSet` with its imports.
    ///
    /// - Parameters:
    ///   - descriptors: The serialized `FileDescriptorSet`, including all imports.
    ///   - services: The full names of the services to list; nil for every service of the descriptors.
    /// - Throws: `ProtoError` for invalid descriptors.
    public init(descriptors: [UInt8], services: [String]? = nil) throws {
        index = try DescriptorIndex(descriptors)
        self.services = (services ?? index.services).sorted()
    }

    /// The methods to serve together with those of the other services.
    public var rpcMethods: [RPCMethodHandler] {
        ReflectionVersion.allCases.map { version in
            .bidirectional(version.method) { requests, _ in responses(to: requests) }
        }
    }

    private func responses(to requests: RPCStream<ServerReflectionRequest>) -> RPCStream<ServerReflectionResponse> {
        RPCStream { writer in
            for try await request in requests { try await writer.send(response(to: request)) }
        }
    }

    /// Returns the response to one request; if an entity is missing, the response is an error.
    func response(to request: ServerReflectionRequest) -> ServerReflectionResponse {
        var response = ServerReflectionResponse(validHost: request.host, originalRequest: request)
        response.messageResponse =
            switch request.messageRequest {
            case .fileByFilename(let name): file(name)
            case .fileContainingSymbol(let symbol): file(index.file(declaring: symbol))
            case .fileContainingExtension(let wanted):
                file(index.file(extending: .init(type: wanted.containingType, number: wanted.extensionNumber)))
            case .allExtensionNumbersOfType(let type): numbers(of: type)
            case .listServices:
                .listServicesResponse(ListServiceResponse(service: services.map { ServiceResponse(name: $0) }))
            case nil: .error(.invalidArgument, "The request is not supported.")
            }

        return response
    }

    private func file(_ name: String?) -> ServerReflectionResponse.MessageResponse {
        guard let name, let files = index.closure(of: name) else { return .error(.notFound, "There is no such file.") }
        return .fileDescriptorResponse(FileDescriptorResponse(fileDescriptorProto: files))
    }

    private func numbers(of type: String) -> ServerReflectionResponse.MessageResponse {
        guard let numbers = index.extensionNumbers(of: type) else {
            return .error(.notFound, "There is no such message.")
        }
        return .allExtensionNumbersResponse(ExtensionNumberResponse(baseTypeName: type, extensionNumber: numbers))
    }
}

extension ServerReflectionResponse.MessageResponse {
    fileprivate static func error(_ code: RPCCode, _ message: String) -> Self {
        .errorResponse(ErrorResponse(errorCode: Int32(code.rawValue), errorMessage: message))
    }
}

/// The two versions of the reflection service, which share their messages.
enum ReflectionVersion: String, CaseIterable {
    case v1 = "grpc.reflection.v1.ServerReflection"
    /// The older version; some servers have only this one.
    case v1alpha = "grpc.reflection.v1alpha.ServerReflection"

    /// The method of the service.
    var method: RPCMethod<ServerReflectionRequest, ServerReflectionResponse> {
        RPCMethod(rawValue, "ServerReflectionInfo", kind: .bidirectional)
    }
}
