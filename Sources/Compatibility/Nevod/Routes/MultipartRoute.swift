// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A form with files (RFC 7578), answered with JSON.
public struct MultipartRoute<Response: Decodable, Domain: ServiceDomain>: StreamedRoute {
    /// What the answer is read as.
    public typealias Response = Response

    /// The service.
    public let domain: Domain
    /// The path under the service's base URL.
    public let endpoint: String
    /// The method.
    public let method: HTTPMethod
    private let formData: MultipartFormDataBuilder

    /// None: all is in the form.
    public var parameters: [String: String]? { nil }

    /// None.
    public var parameterEncoding: ParameterEncoding { .none }

    /// A route that sends a form.
    public init(endpoint: String, domain: Domain, method: HTTPMethod = .post, formData: MultipartFormDataBuilder) {
        self.endpoint = endpoint
        self.domain = domain
        self.method = method
        self.formData = formData
    }

    /// A route that sends parts; the boundary is chosen when they are written, whatever is given here.
    public init(
        endpoint: String, domain: Domain, method: HTTPMethod = .post, parts: [FormDataPart], boundary: String = ""
    ) {
        var builder = MultipartFormDataBuilder()
        for part in parts { builder.addPart(part) }
        self.init(endpoint: endpoint, domain: domain, method: method, formData: builder)
    }

    /// The form in memory; a provider does not ask for it, but reads the form while it is sent.
    public func bodyData(using encoder: JSONEncoder) throws -> Data? { try formData.build().data }

    /// The form.
    func content() throws -> RouteContent.Encoded { try formData.encoded() }

    /// A route that sends one file.
    public static func uploadFile(
        endpoint: String, domain: Domain, fieldName: String = "file", filename: String, fileData: Data,
        mimeType: String, additionalFields: [String: String] = [:]
    ) -> MultipartRoute {
        let file = FormDataPart(name: fieldName, filename: filename, data: fileData, mimeType: mimeType)
        return MultipartRoute(endpoint: endpoint, domain: domain, parts: texts(additionalFields) + [file])
    }

    /// A route that sends one image.
    public static func uploadImage(
        endpoint: String, domain: Domain, fieldName: String = "image", filename: String, imageData: Data,
        imageType: FormDataPart.ImageType, additionalFields: [String: String] = [:]
    ) -> MultipartRoute {
        uploadFile(
            endpoint: endpoint, domain: domain, fieldName: fieldName, filename: filename, fileData: imageData,
            mimeType: imageType.mimeType, additionalFields: additionalFields)
    }

    /// Fields in an order that does not change from run to run.
    private static func texts(_ fields: [String: String]) -> [FormDataPart] {
        fields.sorted { $0.key < $1.key }.map { FormDataPart(name: $0.key, value: $0.value) }
    }
}
