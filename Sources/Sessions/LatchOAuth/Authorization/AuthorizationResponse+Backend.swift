// SPDX-License-Identifier: Apache-2.0

extension AuthorizationResponse {
    /// Returns the one-time code of a deep link from an app's own backend, which may not repeat the state.
    ///
    /// The code is bound to the code challenge of the app (RFC 7636), so a foreign one is worthless here.
    ///
    /// - Returns: The code; nil if the deep link has none, and no error.
    /// - Throws: `OAuthError.stateMismatch` if it repeats another state, and the backend's error.
    package func code(ofBackendFor state: String) throws(OAuthError) -> String? {
        if let repeated = self.state, !repeated.utf8.elementsEqual(state.utf8) { throw .stateMismatch }
        if let error = parameters["error"], !error.isEmpty {
            throw OAuthError(authorizationError: error, message: parameters["error_description"])
        }
        return parameters["code"].flatMap { $0.isEmpty ? nil : $0 }
    }
}
