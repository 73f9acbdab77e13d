// SPDX-License-Identifier: Apache-2.0

public import LatchRPC

/// Tells clients which services a server has, and of which messages they speak (gRPC's server reflection, v1 and v1alpha).
///
/// ```sh
/// latch descriptors -I Protos shop/v1/shop.proto --include-imports -o shop.binpb
/// ```
/// ```swift
/// let reflection = try ReflectionService(descriptors: Array(Data(contentsOf: file)), services: ["shop.v1.Shop"])
/// let service = RPCService(shop.rpcMethods + reflection.rpcMethods)
/// ```
///
/// It tells everybody who may call it what the descriptors say, comments and internal services included, so give it no
/// more than that, or set an interceptor before it. Its calls are streams both ways: over HTTP/1.1, also behind a proxy,
/// a client has to end its questions before it gets the answers.
public struct ReflectionService: Sendable {
    private let index: DescriptorIndex
    private let services: [String]

    /// Reflection of a serialized `FileDescriptorSet`, imports included.
    ///
    /// - Parameter services: The full names that are listed; nil lists every service of the descriptors.
    /// - Throws: `ProtoError` for bytes that are no descriptors.
    public init(descriptors: [UInt8], services: [String]? = nil) throws {
        index = try DescriptorIndex(descriptors)
        self.services = (services ?? index.services).sorted()
    }

    /// The methods, to be served beside those of the services themselves.
    public var rpcMethods: [RPCMethodHandler] {
        ReflectionVersion.allCases.map { version in
            .bidirectional(version.method) { questions, _ in answers(to: questions) }
        }
    }

    private func answers(to questions: RPCStream<ServerReflectionRequest>) -> RPCStream<ServerReflectionResponse> {
        RPCStream { writer in
            for try await question in questions { try await writer.send(answer(to: question)) }
        }
    }

    /// The answer to one question; what is not there is an answer too.
    func answer(to question: ServerReflectionRequest) -> ServerReflectionResponse {
        var answer = ServerReflectionResponse(validHost: question.host, originalRequest: question)
        answer.messageResponse =
            switch question.messageRequest {
            case .fileByFilename(let name): file(name)
            case .fileContainingSymbol(let symbol): file(index.file(declaring: symbol))
            case .fileContainingExtension(let wanted):
                file(index.file(extending: .init(type: wanted.containingType, number: wanted.extensionNumber)))
            case .allExtensionNumbersOfType(let type): numbers(of: type)
            case .listServices:
                .listServicesResponse(ListServiceResponse(service: services.map { ServiceResponse(name: $0) }))
            case nil: .error(.invalidArgument, "The request asks for nothing that is known here.")
            }
        return answer
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
