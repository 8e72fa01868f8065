"""Workbooks of Excel written part by part, so that each part can be wrong."""

import zipfile
from io import BytesIO

SCHEMAS = "http://schemas.openxmlformats.org"
MAIN = f'xmlns="{SCHEMAS}/spreadsheetml/2006/main"'
OFFICE = f"{SCHEMAS}/officeDocument/2006/relationships"
HEADER = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
STRINGS = f"<sst {MAIN}><si><t>system</t></si><si><r><t>ac</t></r><r><t>c</t></r></si></sst>"
STYLES = (
    f"<styleSheet {MAIN}><fonts><font/></fonts><fills><fill><patternFill/></fill></fills>"
    "<borders><border/></borders>"
    '<cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellXfs>'
    '<cellStyles><cellStyle name="Normal" xfId="0"/></cellStyles></styleSheet>'
)
KINDS = {
    "/xl/workbook.xml": "sheet.main",
    "/xl/worksheets/one.xml": "worksheet",
    "/xl/strings.xml": "sharedStrings",
    "/xl/styles.xml": "styles",
}


def relations(*pairs):
    parts = "".join(
        f'<Relationship Id="r{at}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(pairs)
    )
    return f'<Relationships xmlns="{SCHEMAS}/package/2006/relationships">{parts}</Relationships>'


def parts_of(rows, *, strings=STRINGS, after="", styles=STYLES, book=""):
    """Return the parts of a workbook with one sheet, called Scores."""
    kinds = "".join(
        f'<Override PartName="{name}" ContentType="application/vnd.openxmlformats-officedocument.'
        f'spreadsheetml.{kind}+xml"/>'
        for name, kind in KINDS.items()
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{SCHEMAS}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-'
        f'package.relationships+xml"/>{kinds}</Types>',
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{OFFICE}"><sheets><sheet name="Scores" '
        f'sheetId="1" r:id="r0"/></sheets>{book}</workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/one.xml"),
            ("sharedStrings", "/xl/strings.xml"),
            ("styles", "styles.xml"),
        ),
        "xl/worksheets/one.xml": f"<worksheet {MAIN}><sheetData>{rows}</sheetData>{after}"
        "</worksheet>",
        "xl/strings.xml": strings,
        "xl/styles.xml": styles,
    }


def zipped(parts, method=zipfile.ZIP_DEFLATED):
    target = BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def workbook(rows, **parts):
    """Return the bytes of a workbook."""
    return zipped(parts_of(rows, **parts))


def rows_of(table):
    """Return the cells of a table, row by row."""
    return [
        list(row) for row in zip(*(table.cells(name, "name") for name in table.header), strict=True)
    ]
