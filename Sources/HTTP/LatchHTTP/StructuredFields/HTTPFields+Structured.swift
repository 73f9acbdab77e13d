// SPDX-License-Identifier: Apache-2.0

extension HTTPFields {
    /// All lines of a field as one value, joined as RFC 9110 §5.3 says; nil where there is none.
    public func combinedValue(of name: HTTPFieldName) -> String? {
        let values = values(of: name)
        return values.count > 1 ? values.joined(separator: ", ") : values.first
    }

    /// A field whose value is one item; nil where it is missing.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`, also where there are two lines of it.
    public func structuredItem(_ name: HTTPFieldName) throws(HTTPError) -> StructuredItem? {
        guard let text = combinedValue(of: name) else { return nil }
        return try StructuredItem(parsing: text)
    }

    /// A field whose value is a list, over all of its lines (RFC 9651 §4.2); empty where it is missing.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    public func structuredList(_ name: HTTPFieldName) throws(HTTPError) -> StructuredList {
        try StructuredList(parsing: combinedValue(of: name) ?? "")
    }

    /// A field whose value is a dictionary, over all of its lines (RFC 9651 §4.2); empty where it is missing.
    ///
    /// - Throws: `HTTPError.malformedStructuredField`.
    public func structuredDictionary(_ name: HTTPFieldName) throws(HTTPError) -> StructuredDictionary {
        try StructuredDictionary(parsing: combinedValue(of: name) ?? "")
    }
}
