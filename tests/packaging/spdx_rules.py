"""What SPDX 2.3 asks of a document in JSON, as far as our documents use it: clauses 6 to 8, 10 and 11, annex D."""
import re

CHECKSUMS = {"SHA1": 40, "SHA224": 56, "SHA256": 64, "SHA384": 96, "SHA512": 128, "MD5": 32}
RELATIONS = {"DESCRIBES", "DESCRIBED_BY", "CONTAINS", "CONTAINED_BY", "DEPENDS_ON", "DEPENDENCY_OF", "STATIC_LINK", "OTHER"}
FILE_TYPES = {"SOURCE", "BINARY", "ARCHIVE", "APPLICATION", "AUDIO", "IMAGE", "TEXT", "VIDEO", "DOCUMENTATION", "SPDX", "OTHER"}
PURPOSES = {"APPLICATION", "FRAMEWORK", "LIBRARY", "CONTAINER", "OPERATING-SYSTEM", "DEVICE", "FIRMWARE", "SOURCE", "ARCHIVE", "FILE",
            "INSTALL", "OTHER"}
# Those of the SPDX licence list that scripts/image_sbom.py may write.
GNU = ("AGPL-3.0", "GFDL-1.2", "GFDL-1.3", "GPL-1.0", "GPL-2.0", "GPL-3.0", "LGPL-2.0", "LGPL-2.1", "LGPL-3.0")
LICENCES = {f"{each}-{which}" for each in GNU for which in ("only", "or-later")} | set("""
Apache-2.0 Artistic-1.0-Perl Artistic-2.0 BSD-2-Clause BSD-3-Clause BSD-4-Clause BSD-4-Clause-UC BSL-1.0 CC0-1.0 FSFAP FSFULLR ISC MIT
MPL-1.1 MPL-2.0 PSF-2.0 Python-2.0 Zlib curl""".split())
# (pattern of the whole value, by field); None: any text on one line
DOCUMENT = {"spdxVersion": "SPDX-2\\.3", "dataLicense": "CC0-1\\.0", "SPDXID": "SPDXRef-DOCUMENT", "name": None,
            "documentNamespace": "[a-z][a-z0-9+.-]*:[^#\\s]+"}
SPDX_ID = "SPDXRef-[A-Za-z0-9.-]+"
SUPPLIER = "NOASSERTION|(Person|Organization): .+"
LOCATION = "NONE|NOASSERTION|(git\\+|hg\\+|svn\\+|bzr\\+)?[a-z]+://\\S+"
TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"


def faults(document):
    """One line for each rule that is broken."""
    found = []

    def check(holds, what):
        if not holds:
            found.append(what)

    def match(where, holder, field, pattern, required=True):
        value = holder.get(field)
        if value is None and not required:
            return
        check(isinstance(value, str) and value and "\n" not in value and (pattern is None or re.fullmatch(pattern, value)),
              f"{where}.{field}: {value!r}")

    for field, pattern in DOCUMENT.items():
        match("document", document, field, pattern)
    match("creationInfo", document.get("creationInfo", {}), "created", TIME)
    creators = document.get("creationInfo", {}).get("creators", [])
    check(creators and all(re.fullmatch("(Tool|Person|Organization): .+", each) for each in creators), f"creators: {creators}")
    references = check_references(document, check, match)
    for package in document["packages"]:
        check_package(package, references, check, match)
    for file in document.get("files", []):
        check_file(file, references, check, match)
    check_identifiers(document, check)
    return found


def check_references(document, check, match):
    """Licences of the document's own: each with a text, and named once."""
    found = [each["licenseId"] for each in document.get("hasExtractedLicensingInfos", [])]
    check(len(set(found)) == len(found), "a licenseId twice")
    for each in document.get("hasExtractedLicensingInfos", []):
        match("licence", each, "licenseId", "LicenseRef-[A-Za-z0-9.-]+")
        check(each.get("extractedText", "").strip(), f"{each['licenseId']} has no text")
    return set(found)


def check_licence(where, expression, references, check):
    """NONE, NOASSERTION, or an expression whose every name is on the licence list or the document's own."""
    words = re.split(r"\s+(?:AND|OR)\s+", expression)
    check(expression in ("NONE", "NOASSERTION") or all(word in LICENCES | references for word in words), f"{where}: {expression!r}")


def check_package(package, references, check, match):
    where = f"package {package.get('name')}"
    for field, pattern in {"SPDXID": SPDX_ID, "name": None, "downloadLocation": LOCATION}.items():
        match(where, package, field, pattern)
    for field, pattern in {"versionInfo": None, "supplier": SUPPLIER, "primaryPackagePurpose": "|".join(PURPOSES)}.items():
        match(where, package, field, pattern, required=False)
    if package.get("filesAnalyzed", True) is False:
        check("packageVerificationCode" not in package and "licenseInfoFromFiles" not in package, f"{where}: files that were not analysed")
    else:
        check("packageVerificationCode" in package, f"{where}: no packageVerificationCode")
    for field in ("licenseConcluded", "licenseDeclared"):
        if field in package:
            check_licence(f"{where}.{field}", package[field], references, check)
    for each in package.get("externalRefs", []):
        check(each["referenceCategory"] == "PACKAGE-MANAGER" and each["referenceType"] == "purl"
              and re.fullmatch(r"pkg:deb/debian/[a-z0-9][a-z0-9.%2B-]+@[A-Za-z0-9.~%_-]+\?arch=[a-z0-9]+", each["referenceLocator"]),
              f"{where}: {each}")


def check_file(file, references, check, match):
    where = f"file {file.get('fileName')}"
    match(where, file, "fileName", "\\./.+")
    match(where, file, "SPDXID", SPDX_ID)
    check(set(file.get("fileTypes", [])) <= FILE_TYPES, f"{where}: {file.get('fileTypes')}")
    kinds = [each["algorithm"] for each in file.get("checksums", [])]
    check(kinds.count("SHA1") == 1, f"{where}: not one SHA1 among {kinds}")
    for each in file.get("checksums", []):
        check(re.fullmatch(f"[0-9a-f]{{{CHECKSUMS[each['algorithm']]}}}", each["checksumValue"]), f"{where}: {each}")
    check_licence(f"{where}.licenseConcluded", file.get("licenseConcluded", "NOASSERTION"), references, check)


def check_identifiers(document, check):
    elements = [each["SPDXID"] for each in [*document["packages"], *document.get("files", [])]]
    check(len(set(elements)) == len(elements), "an SPDXID twice")
    known = {*elements, document["SPDXID"]}
    described = set()
    for each in document["relationships"]:
        check(each["relationshipType"] in RELATIONS, f"{each}")
        check({each["spdxElementId"], each["relatedSpdxElement"]} <= known, f"names what is not there: {each}")
        if each["relationshipType"] == "DESCRIBES":
            described.add(each["relatedSpdxElement"])
    check(described == set(document.get("documentDescribes", [])) and described, f"describes {described}")
