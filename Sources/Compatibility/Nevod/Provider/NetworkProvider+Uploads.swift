// SPDX-License-Identifier: Apache-2.0

extension NetworkProvider {
    /// POST of one file in a form, answered with JSON.
    public nonisolated(nonsending) func upload<T: Decodable>(
        _ endpoint: String, fieldName: String = "file", filename: String, fileData: Data, mimeType: String,
        additionalFields: [String: String] = [:]
    ) async throws -> T {
        try await perform(
            MultipartRoute<T, DefaultDomain>.uploadFile(
                endpoint: endpoint, domain: .default, fieldName: fieldName, filename: filename, fileData: fileData,
                mimeType: mimeType, additionalFields: additionalFields))
    }

    /// POST of one image in a form, answered with JSON.
    public nonisolated(nonsending) func uploadImage<T: Decodable>(
        _ endpoint: String, fieldName: String = "image", filename: String, imageData: Data,
        imageType: FormDataPart.ImageType, additionalFields: [String: String] = [:]
    ) async throws -> T {
        try await perform(
            MultipartRoute<T, DefaultDomain>.uploadImage(
                endpoint: endpoint, domain: .default, fieldName: fieldName, filename: filename, imageData: imageData,
                imageType: imageType, additionalFields: additionalFields))
    }
}
