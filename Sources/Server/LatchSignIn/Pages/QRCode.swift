// SPDX-License-Identifier: Apache-2.0

/// A QR code (ISO/IEC 18004), without its light margin.
package struct QRCode: Sendable {
    /// The number of modules on each side.
    package let width: Int
    /// The modules row by row, true for a dark one.
    package let modules: [Bool]

    package init(width: Int, modules: [Bool]) { (self.width, self.modules) = (width, modules) }

    /// Returns an image with the light margin of four modules, black on white in every color scheme.
    ///
    /// - Parameter label: The text for screen readers.
    func svg(label: String) -> String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while column < width, modules[row * width + column] { column += 1 }
                if column > start { path += "M\(start + 4) \(row + 4)h\(column - start)v1h-\(column - start)z" }
                column += 1
            }
        }
        let side = width + 8
        return """
            <svg class="qr" viewBox="0 0 \(side) \(side)" role="img" aria-label="\(HTMLContext.attribute.escape(label))" \
            shape-rendering="crispEdges"><rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)"/></svg>
            """
    }
}
